import type { BenchRow, Target } from '../harness/row.ts';
import { contend, ours } from './contend.ts';

const bare = 'sdk server';

/** What a call over the Model Context Protocol takes, with a client of the official SDK in the same process. */
export const mcpRows: readonly BenchRow[] = [
  row('mcp-call', 'CPU', 'cpu', [{ factor: 2.5, comparedTo: bare }]),
  row('mcp-call-wall', 'wall time', 'wall', []),
];

function row(id: string, title: string, figure: string, targets: readonly Target[]): BenchRow {
  return {
    id,
    title: `Call of a served tool, client included: ${title}`,
    unit: 'µs',
    contenders: contend(
      'mcp-call',
      figure,
      { calls: 500 },
      { [ours]: { server: 'library' }, [bare]: { server: 'sdk' } },
    ),
    targets,
    headline: true,
  };
}
