import type { BenchRow } from '../harness/row.ts';
import { contend, ours } from './contend.ts';

/** What a call over the Model Context Protocol takes, with a client of the official SDK in the same process. */
export const mcpRows: readonly BenchRow[] = [
  row('mcp-call', 'CPU', 'cpu'),
  row('mcp-call-wall', 'wall time', 'wall'),
];

function row(id: string, title: string, figure: string): BenchRow {
  return {
    id,
    title: `Call of a served tool, client included: ${title}`,
    unit: 'µs',
    contenders: contend(
      'mcp-call',
      figure,
      { calls: 500 },
      { [ours]: { server: 'library' }, 'sdk server': { server: 'sdk' } },
    ),
    targets: [],
  };
}
