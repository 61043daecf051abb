// What the page opens with: 75 neighbours rank five plans for a square, and the rules part.

export const EXAMPLE = `20: Library > Garden > Fountain > Playground > Car park
11: Playground > Fountain > Library > Garden > Car park
11: Car park > Garden > Library > Fountain > Playground
10: Car park > Garden > Playground > Fountain > Library
9: Car park > Library > Playground > Fountain > Garden
5: Playground > Garden > Fountain > Library > Car park
5: Playground > Garden > Library > Fountain > Car park
4: Garden > Playground > Fountain > Car park > Library`;
