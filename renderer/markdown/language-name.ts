const ALIASES: Readonly<Record<string, string>> = {
  cc: 'cpp',
  cjs: 'javascript',
  cs: 'csharp',
  cxx: 'cpp',
  dockerfile: 'docker',
  ex: 'elixir',
  exs: 'elixir',
  gql: 'graphql',
  h: 'c',
  hpp: 'cpp',
  hs: 'haskell',
  htm: 'html',
  js: 'javascript',
  kt: 'kotlin',
  makefile: 'make',
  md: 'markdown',
  mjs: 'javascript',
  mts: 'typescript',
  patch: 'diff',
  ps1: 'powershell',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  svg: 'xml',
  ts: 'typescript',
  yml: 'yaml',
  zsh: 'bash',
}

/** The grammar's name for what a fence or a file extension says; never checked against the list of grammars. */
export function languageOf(name: string): string {
  const lower = name.toLowerCase()
  return ALIASES[lower] ?? lower
}

/** The language of a file by its name, empty when it has no ending. */
export function languageOfPath(path: string): string {
  const name = path.split(/[/\\]/).at(-1) ?? ''
  const ending =
    /\.([A-Za-z0-9]{1,12})$/.exec(name)?.[1] ?? (/^(Dockerfile|Makefile)$/.test(name) ? name : '')
  return languageOf(ending)
}
