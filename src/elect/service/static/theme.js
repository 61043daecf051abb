// Light or dark, before anything is painted: as chosen here, else as the system says.
{
  const root = document.documentElement;
  try {
    const chosen = localStorage.getItem("elect-theme");
    if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  } catch {
    // Storage may be forbidden; the choice then lasts as long as the page.
  }
}
