import type { ReactNode } from 'react'

/** Drawings on a 16 px grid, outlines of 1.4 px. A name is what is drawn, not what it is used for. */
export const ICONS = {
  archive: (
    <>
      <rect x="2.25" y="2.75" width="11.5" height="3" rx=".75" />
      <path d="M3.25 5.75v6.5a1 1 0 0 0 1 1h7.5a1 1 0 0 0 1-1v-6.5M6.5 8.5h3" />
    </>
  ),
  arrowDown: <path d="M8 3.25v9.5M11.75 9 8 12.75 4.25 9" />,
  arrowLeft: <path d="M12.75 8h-9.5M7 4.25 3.25 8 7 11.75" />,
  arrowRight: <path d="M3.25 8h9.5M9 4.25 12.75 8 9 11.75" />,
  arrowUp: <path d="M8 12.75v-9.5M4.25 7 8 3.25 11.75 7" />,
  at: (
    <>
      <circle cx="8" cy="8" r="2.5" />
      <path d="M10.5 5.75v3a1.6 1.6 0 0 0 3.25 0V8a5.75 5.75 0 1 0-2.3 4.6" />
    </>
  ),
  beside: (
    <>
      <rect x="2.25" y="2.75" width="11.5" height="10.5" rx="1.75" />
      <path d="M8 2.75v10.5" />
    </>
  ),
  box: (
    <>
      <path d="M8 2 13 4.75v6.5L8 14l-5-2.75v-6.5z" />
      <path d="m3 4.75 5 2.75 5-2.75M8 7.5V14" />
    </>
  ),
  braces: (
    <path d="M6 2.75c-1.75 0-2 .75-2 2v1.5C4 7.5 3.25 8 2.5 8c.75 0 1.5.5 1.5 1.75v1.5c0 1.25.25 2 2 2M10 2.75c1.75 0 2 .75 2 2v1.5c0 1.25.75 1.75 1.5 1.75-.75 0-1.5.5-1.5 1.75v1.5c0 1.25-.25 2-2 2" />
  ),
  branch: (
    <>
      <circle cx="4.5" cy="3.75" r="1.5" />
      <circle cx="4.5" cy="12.25" r="1.5" />
      <circle cx="11.5" cy="5.25" r="1.5" />
      <path d="M4.5 5.25v5.5M11.5 6.75c0 2.25-2 2.75-3.75 2.9-1.5.1-3.25.35-3.25 1.1" />
    </>
  ),
  bubbles: (
    <>
      <path d="M10.5 3.25v3.5a1 1 0 0 1-1 1H5.25L2.25 10V3.25a1 1 0 0 1 1-1H9.5a1 1 0 0 1 1 1z" />
      <path d="M6.25 10.25v.25a1 1 0 0 0 1 1h3.5l3 2.25V7a1 1 0 0 0-1-1" />
    </>
  ),
  check: <path d="m3.5 8.5 3 3 6-7" />,
  checklist: <path d="m2.75 4.25 1 1 1.75-2M2.75 10.75l1 1 1.75-2M8 4.5h5.25M8 11h5.25" />,
  chevronDown: <path d="M4.25 6.25 8 10l3.75-3.75" />,
  chevronRight: <path d="M6.25 4.25 10 8l-3.75 3.75" />,
  chevronUp: <path d="M4.25 9.75 8 6l3.75 3.75" />,
  clock: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M8 4.75V8l2.25 1.5" />
    </>
  ),
  copy: (
    <>
      <rect x="5.75" y="5.75" width="8" height="8" rx="1.25" />
      <path d="M3.5 10.25h-.25a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1h6a1 1 0 0 1 1 1v.25" />
    </>
  ),
  down: <path d="M8 2.75v7.5M4.75 7.25 8 10.5l3.25-3.25M3 13.25h10" />,
  external: (
    <path d="M6.5 3.25H4a1 1 0 0 0-1 1V12a1 1 0 0 0 1 1h7.75a1 1 0 0 0 1-1V9.5M9 2.75h4.25V7M13 3 7.75 8.25" />
  ),
  file: (
    <>
      <path d="M9 2.25H4.75a1 1 0 0 0-1 1v9.5a1 1 0 0 0 1 1h6.5a1 1 0 0 0 1-1V5.5z" />
      <path d="M9 2.25V5.5h3.25" />
    </>
  ),
  filter: <path d="M2.5 4.5h11M4.75 8h6.5M6.75 11.5h2.5" />,
  fit: <path d="M2.75 5.5V2.75H5.5M10.5 2.75h2.75V5.5M13.25 10.5v2.75H10.5M5.5 13.25H2.75V10.5" />,
  folder: (
    <path d="M2.25 4.5v7.25a1 1 0 0 0 1 1h9.5a1 1 0 0 0 1-1V5.75a1 1 0 0 0-1-1H8L6.5 3.25H3.25a1 1 0 0 0-1 1z" />
  ),
  gear: (
    <>
      <circle cx="8" cy="8" r="2" />
      <path d="M8 1.9v1.6M8 12.5v1.6M1.9 8h1.6M12.5 8h1.6M3.7 3.7l1.1 1.1M11.2 11.2l1.1 1.1M3.7 12.3l1.1-1.1M11.2 4.8l1.1-1.1" />
      <circle cx="8" cy="8" r="4.5" />
    </>
  ),
  globe: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M2.25 8h11.5M8 2.25c1.75 1.6 2.6 3.5 2.6 5.75S9.75 12.15 8 13.75C6.25 12.15 5.4 10.25 5.4 8S6.25 3.85 8 2.25z" />
    </>
  ),
  grep: (
    <>
      <path d="M2.75 4h10.5M2.75 7.25h4M2.75 10.5h3" />
      <circle cx="10.25" cy="9.75" r="2.5" />
      <path d="m12.1 11.6 1.4 1.4" />
    </>
  ),
  grip: <path d="M6 4.5h.01M10 4.5h.01M6 8h.01M10 8h.01M6 11.5h.01M10 11.5h.01" strokeWidth="1.75" />,
  help: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M6.35 6.4A1.7 1.7 0 0 1 8 5.1c1 0 1.7.65 1.7 1.5 0 1.2-1.65 1.3-1.65 2.4M8 11h.01" />
    </>
  ),
  host: (
    <>
      <rect x="2.25" y="3" width="11.5" height="7.5" rx="1.25" />
      <path d="M5.5 13.25h5M8 10.5v2.75" />
    </>
  ),
  image: (
    <>
      <rect x="2.25" y="2.75" width="11.5" height="10.5" rx="1.5" />
      <circle cx="5.75" cy="6.25" r="1.1" />
      <path d="m2.75 11.5 3.5-3 2.25 2 2-1.75 2.75 2.5" />
    </>
  ),
  key: (
    <>
      <circle cx="5.5" cy="10.5" r="3" />
      <path d="m7.75 8.25 5.25-5.5M10.5 5.35l1.75 1.75" />
    </>
  ),
  list: <path d="M5.75 4h7.5M5.75 8h7.5M5.75 12h7.5M2.75 4h.01M2.75 8h.01M2.75 12h.01" />,
  max: <rect x="3.75" y="3.75" width="8.5" height="8.5" rx="1" />,
  min: <path d="M3.5 8h9" />,
  minus: <path d="M3.25 8h9.5" />,
  more: <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth="2" />,
  panelLeft: (
    <>
      <rect x="2.25" y="2.75" width="11.5" height="10.5" rx="1.75" />
      <path d="M6.25 2.75v10.5" />
    </>
  ),
  panelRight: (
    <>
      <rect x="2.25" y="2.75" width="11.5" height="10.5" rx="1.75" />
      <path d="M9.75 2.75v10.5" />
    </>
  ),
  pencil: (
    <>
      <path d="M11 2.9a1.4 1.4 0 0 1 2 2L5.6 12.4l-2.85.85.85-2.85z" />
      <path d="m9.6 4.3 2 2" />
    </>
  ),
  play: <path d="M5 3.5v9l7.25-4.5z" />,
  plug: <path d="M8 13.75V11M5.5 2.25V5M10.5 2.25V5M3.75 5h8.5v1.75a4.25 4.25 0 0 1-8.5 0z" />,
  plus: <path d="M8 3.25v9.5M3.25 8h9.5" />,
  receipt: (
    <>
      <path d="M3.75 2.25v11.5l1.4-1 1.45 1 1.4-1 1.4 1 1.45-1 1.4 1V2.25l-1.4 1-1.45-1-1.4 1-1.4-1-1.45 1z" />
      <path d="M6.25 6.5h3.5M6.25 9.25h3.5" />
    </>
  ),
  retry: (
    <>
      <path d="M13.25 8a5.25 5.25 0 1 1-1.6-3.75l1.6 1.5" />
      <path d="M13.25 2.5v3.25H10" />
    </>
  ),
  search: (
    <>
      <circle cx="7.25" cy="7.25" r="4.25" />
      <path d="m10.5 10.5 2.75 2.75" />
    </>
  ),
  shield: <path d="M8 2.25 3.25 4v4c0 2.75 1.9 4.85 4.75 5.75 2.85-.9 4.75-3 4.75-5.75V4z" />,
  slash: (
    <>
      <rect x="2.25" y="2.25" width="11.5" height="11.5" rx="2.5" />
      <path d="m9.5 5.25-3 5.5" />
    </>
  ),
  sort: <path d="M5 3v10M5 13l-2.25-2.25M5 13l2.25-2.25M11 13V3M11 3 8.75 5.25M11 3l2.25 2.25" />,
  stop: <rect x="4" y="4" width="8" height="8" rx="1.25" fill="currentColor" stroke="none" />,
  terminal: <path d="m3.5 4.75 3.25 3.25L3.5 11.25M8.5 11.75h4.25" />,
  thought: <path d="M2.5 5h11M2.5 8h8M2.5 11h5" />,
  trash: (
    <path d="M3 4.25h10M6.25 4.25v-1.5h3.5v1.5M4.25 4.25l.6 8.6a1 1 0 0 0 1 .9h4.3a1 1 0 0 0 1-.9l.6-8.6M6.75 6.75v4.5M9.25 6.75v4.5" />
  ),
  unknown: <rect x="2.75" y="2.75" width="10.5" height="10.5" rx="2.5" strokeDasharray="2.6 2.4" />,
  warning: (
    <>
      <path d="M8 2.9 13.6 12.6H2.4z" />
      <path d="M8 6.4v2.7M8 10.9h.01" />
    </>
  ),
  wrench: (
    <path d="M13.4 4.6 11 7l-2-2 2.4-2.4a3.6 3.6 0 0 0-4.7 4.6l-4 4a1.4 1.4 0 0 0 2 2l4-4a3.6 3.6 0 0 0 4.7-4.6z" />
  ),
  x: <path d="m4.25 4.25 7.5 7.5M11.75 4.25l-7.5 7.5" />,
} as const satisfies Readonly<Record<string, ReactNode>>

export type IconName = keyof typeof ICONS
