/** The look of an exported file: all it needs, in it. */
export const STYLE = `
:root { color-scheme: light dark; --text: #1c1d21; --muted: #5c606b; --page: #fff; --raised: #f5f5f7; --line: #d9dbe1; --accent: #3b5bdb; --warning: #8a4b00; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e7eb; --muted: #a0a4b0; --page: #16171b; --raised: #1f2026; --line: #34363f; --accent: #91a7ff; --warning: #ffc078; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 52rem; padding: 2rem 1rem 4rem; background: var(--page); color: var(--text); font: 16px/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin: 3rem 0 .5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
a { color: var(--accent); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; margin: 0 0 1.5rem; color: var(--muted); font-size: .875rem; } dd { margin: 0; }
nav ol { list-style: none; margin: 0; padding: 0; } nav small { color: var(--muted); }
article { margin: 1.25rem 0; } article > header { font-weight: 600; } time { color: var(--muted); font-size: .8125rem; font-weight: 400; margin-left: .5rem; }
.person { background: var(--raised); border-radius: 8px; padding: .75rem 1rem; }
.text { white-space: pre-wrap; } pre { margin: .5rem 0; padding: .75rem; background: var(--raised); border: 1px solid var(--line); border-radius: 6px; white-space: pre-wrap; font: .8125rem/1.5 ui-monospace, monospace; }
details { margin: .5rem 0; } summary { color: var(--muted); cursor: pointer; font-size: .875rem; } .failed > summary { color: var(--warning); }
.note { color: var(--muted); font-style: italic; margin: .5rem 0; } .warning { color: var(--warning); font-weight: 600; }
img { max-width: 100%; }
${Array.from({ length: 12 }, (_, depth) => `.depth-${depth} { padding-left: ${depth * 1.25}rem; }`).join('\n')}
@media print { body { max-width: none; padding: 0; font-size: 11pt; } h2 { break-after: avoid; } article > header { break-after: avoid; } pre { border-color: #999; } a { color: inherit; } }
`
