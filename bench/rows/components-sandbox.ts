import type { BenchRow } from '../harness/row.ts';
import { contend, ours } from './contend.ts';

const files = 10_000;
const copy = 'cp -a and sh';

/** The backends of sandboxes; the first one is the library in these rows. */
const backends = {
  [ours]: { backend: 'bubblewrap' },
  [`${ours}, podman`]: { backend: 'podman' },
  [`${ours}, virtual`]: { backend: 'virtual' },
} as const;

/** Commands in a sandbox, wall time. A backend that this machine does not have is left out, with a note. */
export const sandboxRows: readonly BenchRow[] = [
  sandboxRow('prepare', 'Sandbox, checked by its self-test once before the first turn: bubblewrap', 0),
  sandboxRow('start', 'Sandbox for a call without files, one command, removed: bubblewrap', 0, {
    sh: { backend: 'sh' },
  }),
  {
    ...sandboxRow(
      'command',
      'Sandbox with 10,000 files of the disk, a command that changes five, collected: bubblewrap',
      files,
      {
        [copy]: { backend: 'sh' },
      },
    ),
    targets: [{ factor: 1, comparedTo: copy }],
  },
];

function sandboxRow(
  figure: 'prepare' | 'start' | 'command',
  title: string,
  count: number,
  others: Readonly<Record<string, { readonly backend: string }>> = {},
): BenchRow {
  return {
    id: `sandbox-${figure}`,
    title: `${title}: wall time`,
    unit: 'ms',
    contenders: contend('sandbox', figure, { files: count }, { ...backends, ...others }).map((contender) => ({
      ...contender,
      isOwn: contender.name.startsWith(`${ours},`),
      leftOutByQuick: true,
    })),
    targets: [],
  };
}
