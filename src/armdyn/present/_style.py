"""The style sheet of pages, and the colours that all pages share."""

PALETTE = """
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --line: #d8dde4; --paper: #fff;
  --wash: #f4f6f8; --good: #1a7f4b; --bad: #b3261e; --fair: #9a6700; --is: #7b8794; --said: #d9541e;
  --rest: #2563a8; --raw: #b9c4d0; --band: #2563a81f; --bars: #d9541e33;
  --goodwash: #e7f5ed; --fairwash: #fbf3e0; --badwash: #fcebea; }
@media screen and (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --soft: #9aa5b3;
  --line: #343c47; --paper: #14181d; --wash: #1c2229; --good: #56c48a; --bad: #ff8a80;
  --fair: #e0b050;
  --is: #9aa5b3; --said: #ff8f5a; --rest: #7ab3ee; --raw: #4a5663; --band: #7ab3ee2b;
  --bars: #ff8f5a40;
  --goodwash: #16291f; --fairwash: #2e2614; --badwash: #331a18; } }
"""

STYLE = (
    PALETTE
    + """
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.2rem 4rem; max-width: 62rem; background: var(--paper);
  color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .2rem; } h2 { font-size: 1.15rem; margin: 2.4rem 0 .6rem; }
h3 { font-size: 1rem; margin: 1.4rem 0 .4rem; }
p { margin: .5rem 0; max-width: 46rem; } ul { padding-left: 1.2rem; max-width: 48rem; }
li { margin: .25rem 0; } .hint, .sub { color: var(--soft); } .sub { margin-top: 0; }
nav { margin: 1rem 0 0; display: flex; flex-wrap: wrap; gap: 0 1rem; }
a { color: var(--rest); text-decoration: none; } a:hover { text-decoration: underline; }
.verdict { border-left: 6px solid; padding: .8rem 1.1rem; margin: 1.2rem 0; border-radius: 4px; }
.verdict p { margin: .2rem 0; } .verdict .head { font-size: 1.25rem; font-weight: 650; }
.passed { border-color: var(--good); background: var(--goodwash); }
.usable { border-color: var(--fair); background: var(--fairwash); }
.failed { border-color: var(--bad); background: var(--badwash); }
.facts { display: flex; flex-wrap: wrap; gap: .7rem; margin: 1rem 0; }
.facts div { background: var(--wash); border-radius: 6px; padding: .5rem .9rem; flex: 1 1 9rem; }
.facts b { display: block; font-size: 1.25rem; } .facts span { color: var(--soft); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .92rem; }
th, td { padding: .22rem .6rem; text-align: left; border-bottom: 1px solid var(--line);
  vertical-align: middle; }
th { color: var(--soft); font-weight: 600; } th:first-child, td:first-child { padding-left: 0; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
td.number { white-space: nowrap; }
.good { color: var(--good); } .bad { color: var(--bad); } .fair { color: var(--fair); }
figure { margin: 1.1rem 0 1.6rem; break-inside: avoid; } figcaption { margin-bottom: .2rem; }
output { float: right; color: var(--soft); font-variant-numeric: tabular-nums; }
svg { display: block; max-width: 100%; height: auto; } svg.panel { overflow: hidden; }
svg text { fill: var(--soft); font-size: 11px; } .left text, text.axis { text-anchor: end; }
.below text { text-anchor: middle; } .curves { cursor: crosshair; width: 100%; }
polyline, line { fill: none; vector-effect: non-scaling-stroke; }
.is { stroke: var(--is); stroke-width: 2.4; } .said { stroke: var(--said); stroke-width: 1.3; }
.rest { stroke: var(--rest); stroke-width: 1.1; } .band { fill: var(--band); }
.raw { stroke: var(--raw); stroke-width: .8; } .chosen { fill: var(--band); }
.zero { stroke: var(--line); stroke-width: 1; } .pointer { stroke: var(--soft); opacity: 0; }
.bar { stroke: var(--ink); stroke-width: 1.5; } .mid { fill: var(--ink); }
.dots { stroke: var(--rest); stroke-width: 2.4; stroke-linecap: round; opacity: .55; }
.dots.others { stroke: var(--said); } .frame { fill: none; stroke: var(--line); }
.bars { fill: var(--bars); } .mark { stroke: var(--soft); stroke-dasharray: 4 3; }
.plus { fill: var(--said); } .minus { fill: var(--rest); }
.framed { fill: none; stroke: var(--ink); stroke-width: 1; vector-effect: non-scaling-stroke; }
.cad { fill: none; stroke: var(--said); stroke-width: 1.5; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: .6rem; }
.pairs { grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); }
.grid figure { margin: 0; } summary { cursor: pointer; color: var(--rest); }
code { background: var(--wash); white-space: nowrap; padding: 0 .25rem; border-radius: 3px; }
footer { margin-top: 3rem; color: var(--soft); border-top: 1px solid var(--line); }
@media screen and (max-width: 45rem) { figure { overflow-x: auto; }
  svg.curves, svg.heat { min-width: 38rem; } }
@media print { :root { color-scheme: light; } body { padding: 0; font-size: 11px; max-width: none; }
  nav, .hint { display: none; } section { break-inside: auto; } }
"""
)
