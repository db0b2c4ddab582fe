import type { RunOutcomeKind } from '../../record/index.ts';

/** How the page shows an outcome: in its title, its icon and the badge beside the name. */
export interface OutcomeStyle {
  readonly word: string;
  readonly sign: string;
  /** What is drawn in a square of 12. */
  readonly path: string;
}

export const outcomeStyles: Readonly<Record<RunOutcomeKind, OutcomeStyle>> = {
  failed: { word: 'Failed', sign: '✗', path: 'M2.5 2.5l7 7M9.5 2.5l-7 7' },
  finished: { word: 'Finished', sign: '✓', path: 'M2 6.5l2.7 2.7L10 3.5' },
  waiting: { word: 'Waiting', sign: '⏸', path: 'M4 2v8M8 2v8' },
  interrupted: { word: 'Interrupted', sign: '◌', path: 'M2 6h2.2M6 6h.2M8 6h2' },
  running: { word: 'Running', sign: '•', path: 'M3.5 2l6 4-6 4z' },
  conflict: { word: 'Conflict', sign: '!', path: 'M6 2v5M6 9v1' },
  cancelled: { word: 'Cancelled', sign: '⊘', path: 'M3 9l6-6M6 1.2a4.8 4.8 0 100 9.6 4.8 4.8 0 000-9.6' },
};

const fills: Readonly<Partial<Record<RunOutcomeKind, string>>> = {
  failed: '#b3261e',
  finished: '#2a7566',
  waiting: '#855c00',
};

/** The address of the icon of the page. Its colors are those of the badges in the light theme. */
export function iconOf(kind: RunOutcomeKind): string {
  const fill = fills[kind] ?? '#5b5a54';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-2 -2 16 16"><rect x="-2" y="-2" width="16" height="16" rx="4" fill="${fill}"/><path d="${outcomeStyles[kind].path}" fill="none" stroke="#fff" stroke-width="1.8"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
