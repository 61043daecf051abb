"""The paper's Algorithm 1: sample elections, compute targets, and follow the gradient of the loss.

Reference: C. Anil and X. Bao, "Learning to Elect", NeurIPS 2021, Algorithm 1.
"""

from contextlib import ExitStack, closing
from copy import deepcopy
from pathlib import Path
from time import perf_counter

import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_

from elect.checkpoints import Makers, save
from elect.learned import LearnedRule, reseed
from elect.storage import exclusive
from elect.training.progress import Log, Meter, bar, in_notebook, tell
from elect.training.recipe import Recipe
from elect.training.schedules import decay, learning_rate
from elect.training.setup import (
    Learner,
    TimeBudget,
    average,
    card,
    first_weights,
    flush_denormals,
    launch,
    prepare,
    spare_core,
    validate,
)
from elect.training.state import State, belongs_to, load_state, make_optimizer, save_state
from elect.training.stream import batches, held_out


def run_recipe(
    recipe: Recipe,
    out: str | Path,
    *,
    resume: bool = False,
    device: str = "auto",
    progress: bool = True,
    makers: Makers | None = None,
) -> LearnedRule:
    """Train a network by a recipe and save it in a folder.

    The folder then holds the rule (see `elect.load`), `log.csv`, and the state needed to resume.
    A training that is killed and resumed ends with the same weights as one that is not. Under
    ``torchrun``, the parts of each batch are divided among the processes.

    Args:
        recipe: all settings.
        out: the folder; with several machines, a shared one.
        resume: continue the training in the folder, if there is one.
        device: ``cpu``, ``cuda``, or ``auto`` for a GPU if there is one.
        progress: show a progress bar.
        makers: your own networks, by name.
    """
    began, out = perf_counter(), Path(out)
    fabric = launch(recipe, device)
    with ExitStack() as stack:
        # With several processes, the first one locks the folder.
        if fabric.is_global_zero:
            stack.enter_context(exclusive(out, "training"))
        begun = prepare(out, recipe, resume)
        fabric.barrier()
        stack.enter_context(torch.random.fork_rng(devices=[]))
        stack.enter_context(spare_core())
        stack.enter_context(flush_denormals())
        network = first_weights(recipe, recipe.start, makers, out if begun else None)
        averaged = deepcopy(network).to(fabric.device)
        learner = fabric.setup_module(Learner(network, recipe.objectives))
        optimizer = make_optimizer(recipe, network.parameters())
        state = load_state(out, recipe, network, averaged, optimizer)
        began -= state.seconds
        if not begun and fabric.is_global_zero:
            save_state(out, recipe, state, network, averaged, optimizer)

        ours = range(recipe.parts)[fabric.global_rank :: fabric.world_size]
        stream = stack.enter_context(closing(batches(recipe, ours, state.step)))
        validation = [part.to(fabric.device) for part in held_out(recipe)]
        budget, meter = TimeBudget(recipe), Meter()
        log = Log(out, recipe, state.step, writing=fabric.is_global_zero)
        live = stack.enter_context(bar(recipe, visible=progress and fabric.is_global_zero))
        found: dict[str, float] = {}

        while not state.done:
            with meter.waiting():
                batch = [part.to(fabric.device) for part in next(stream)]

            rate = learning_rate(state.step, state.steps, recipe.learning_rate, recipe.warmup)
            for group in optimizer.param_groups:
                group["lr"] = rate
            optimizer.zero_grad()
            for part in batch:
                torch.manual_seed(part.seed)
                reseed(network, part.seed)
                # Gradients accumulate over the parts; processes synchronize after the last one.
                with fabric.no_backward_sync(learner, enabled=part is not batch[-1]):
                    losses, rights = learner(part)
                    fabric.backward(losses.mean() / len(batch))
                meter.add(losses, rights, len(part) * fabric.world_size)
            clip_grad_norm_(network.parameters(), recipe.clip)
            optimizer.step()
            average(averaged, network, decay(state.step, recipe.averaging))

            state.step, state.seconds = state.step + 1, perf_counter() - began
            live.update(state, meter)
            if state.due(recipe.validate_every):
                found = validate(averaged, recipe, validation)
                values = {"learning_rate": rate, **meter.take(), **found}
                log.add(state, values)
                if progress and in_notebook() and fabric.is_global_zero:
                    tell(state, values)
            planned = state.steps is None and fabric.broadcast(budget.known(state))
            if planned:
                state.steps = fabric.broadcast(budget.steps(state, averaged, validation))
            if (planned or state.due(recipe.checkpoint_every)) and fabric.is_global_zero:
                save_state(out, recipe, state, network, averaged, optimizer)
                _save(out, recipe, state, averaged, found)

        found = found or validate(averaged, recipe, validation)
        if fabric.is_global_zero:
            _save(out, recipe, state, averaged, found)
        fabric.barrier()
    return LearnedRule(averaged.cpu(), card(recipe, state, found))


def _save(
    out: Path, recipe: Recipe, state: State, averaged: nn.Module, found: dict[str, float]
) -> None:
    """Save the current rule."""
    about = belongs_to(recipe, state)
    save(out, averaged.state_dict(), card(recipe, state, found), about)
