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

/** A row of one public failure. */
export interface ComparedIssue {
  /** Its folder, named like the example. */
  readonly id: `issues/${string}`;
  readonly title: string;
  /** Those that run its steps. */
  readonly systems: readonly SystemId[];
}

/**
 * Public failures of `examples/issues` that no row of the table is about, with the systems that run the same steps. This library runs them in
 * the example, which is named like its row. The page `guides/it-cannot-happen-here.md` has the results.
 */
export const compareIssues: readonly ComparedIssue[] = [
  {
    id: 'issues/claude-code-64346',
    title: 'Two of 27 calls of one turn fail: the others have their results, and the run continues',
    systems: ['ai-sdk', 'openai-agents', 'langgraph', 'mastra', 'pi'],
  },
  {
    id: 'issues/opencode-8312',
    title: 'A run is stopped in a call, and the conversation continues: every call in it has a result',
    systems: ['ai-sdk', 'pi'],
  },
  {
    id: 'issues/claude-code-62122',
    title: 'Three sub-agents of one turn change the same file: all three changes are there',
    systems: ['ai-sdk', 'openai-agents', 'mastra'],
  },
  {
    id: 'issues/software-agent-sdk-3845',
    title: 'A sub-agent that never stops ends with what is left of the budget of the run',
    systems: ['openai-agents'],
  },
  {
    id: 'issues/langgraph-6491',
    title: 'A tool writes values that the state does not allow: none is saved, and the thread continues',
    systems: ['langgraph'],
  },
  {
    id: 'issues/openai-agents-python-4254',
    title: 'A run is tried again, and the model asks again with a new call id: the effect is there once',
    systems: ['openai-agents'],
  },
  {
    id: 'issues/openclaw-9083',
    title: 'A limit of 30 days does not fire, or is refused with its range',
    systems: ['ai-sdk', 'openai-agents', 'langgraph', 'mastra'],
  },
  {
    id: 'issues/pi-8943',
    title: 'A model writes an integer of 19 digits: the tool does not get another one',
    systems: ['ai-sdk', 'openai-agents', 'mastra', 'pi'],
  },
  {
    id: 'issues/mastra-15341',
    title: 'A tool of an MCP server has a schema that refers to itself: it and the others can be called',
    systems: ['mastra'],
  },
];

/** A row of the table, or one of the issues. */
export type CellRowId = RowId | ComparedIssue['id'];

/** Rows whose script of this library needs `node:sqlite`. */
const sqliteRows: readonly CellRowId[] = ['approval-later', 'killed'];

export interface Cell {
  readonly row: CellRowId;
  readonly system: SystemId;
  /** The oldest major version of Node that the script runs on. */
  readonly minNode: number;
}

/** Every cell: those of the table, row by row, then those of the issues. */
export const compareCells: readonly Cell[] = [
  ...compareRows.flatMap(({ id }) => compareSystems.map((system) => cellOf(id, system.id))),
  ...compareIssues.flatMap(({ id, systems }) => systems.map((system) => cellOf(id, system))),
];

function cellOf(row: CellRowId, system: SystemId): Cell {
  const needsSqlite = system === 'wink' && sqliteRows.includes(row);
  const found = compareSystems.find(({ id }) => id === system);
  const minNode = found !== undefined && 'minNode' in found ? found.minNode : 20;
  return { row, system, minNode: needsSqlite ? 22 : minNode };
}

export function cellName({ row, system }: Pick<Cell, 'row' | 'system'>): string {
  return `${row}/${system}`;
}
