/** The rows of the comparison, in the order of the table. Each is a folder with `case.ts` and a script per system. */
export const compareRows = [
  { id: 'parallel-edits', title: 'Two calls of one turn edit the same file: both edits are there' },
  { id: 'half-done', title: 'A tool changes a file and state, then throws: both are as before' },
  { id: 'late-write', title: 'A tool that timed out writes afterwards: nothing arrives' },
  { id: 'order', title: '200 random turns in parallel end as if one call had run after the other' },
  { id: 'bad-call', title: 'Unknown tool, bad JSON, wrong arguments: answered, and the run continues' },
  { id: 'deny-nested', title: 'A rule of the outer agent holds in its sub-agent' },
  {
    id: 'approval-later',
    title: 'Approved in another process: exactly the shown change lands, and the tool does not run again',
  },
  {
    id: 'killed',
    title: 'SIGKILL in a call: no finished call runs twice, and the model reads which one is open',
  },
  { id: 'runaway', title: 'A call fails for ever, or tokens are over the limit: the run ends' },
  { id: 'other-model', title: 'The same agent on three providers, with their web search' },
  { id: 'replay', title: 'A recorded run again without a model; a new rule shows what it would change' },
  { id: 'first-agent', title: 'The smallest agent with a tool: lines, packages' },
] as const;

export type RowId = (typeof compareRows)[number]['id'];

/**
 * The systems, in the order of the columns. `package` is the one whose version the head shows, as `bench/package.json`
 * names it; `minNode`: the oldest major version of Node that it runs on, where that is not 20.
 */
export const compareSystems = [
  { id: 'wink', title: 'WINK' },
  { id: 'ai-sdk', title: 'AI SDK', package: 'ai-7' },
  { id: 'openai-agents', title: 'OpenAI Agents', package: '@openai/agents' },
  { id: 'langgraph', title: 'LangGraph', package: '@langchain/langgraph' },
  { id: 'mastra', title: 'Mastra', package: '@mastra/core', minNode: 22 },
  { id: 'pi', title: 'pi', package: '@earendil-works/pi-agent-core' },
] as const;

export type SystemId = (typeof compareSystems)[number]['id'];

/** Rows whose script of this library needs `node:sqlite`. */
const sqliteRows: readonly RowId[] = ['approval-later', 'killed'];

export interface Cell {
  readonly row: RowId;
  readonly system: SystemId;
  /** The oldest major version of Node that the script runs on. */
  readonly minNode: number;
}

/** Every cell of the table, row by row. */
export const compareCells: readonly Cell[] = compareRows.flatMap((row) =>
  compareSystems.map((system) => ({
    row: row.id,
    system: system.id,
    minNode:
      system.id === 'wink' && sqliteRows.includes(row.id) ? 22 : 'minNode' in system ? system.minNode : 20,
  })),
);

export function cellName({ row, system }: Pick<Cell, 'row' | 'system'>): string {
  return `${row}/${system}`;
}
