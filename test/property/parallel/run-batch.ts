import type { Clock, ConversationItem, Filesystem, RunEvent, ToolInvokedPayload } from 'weakincentives';
import type { AccountsMode } from './accounts.ts';
import { agentFor, toolNameOf } from './agent.ts';
import type { Batch } from './batch.ts';
import type { Library } from './library.ts';

/** How a batch is run. */
export interface RunMode {
  readonly concurrency: number;
  /** How the resource of the calls joins their transactions. */
  readonly accounts: AccountsMode;
  /** Resolves when the test lets the asking handler continue. */
  readonly pause: () => Promise<void>;
  /** Waits for the run while the test lets paused handlers continue. */
  readonly drive: <T>(work: Promise<T>) => Promise<T>;
}

/** Everything that two runs of a batch must agree in, and what happened on the way. */
export interface Observation {
  /** Texts for the model, files, slices, records: JSON, to be compared. */
  readonly outcome: string;
  /** Superseded attempts. */
  readonly reruns: number;
  /** Accesses by handlers that were over. */
  readonly lateAccesses: number;
  /** Those that were not refused with `TransactionClosedError`: must be 0. */
  readonly lateSuccesses: number;
}

/** Runs a batch from start to end on fresh state. */
export async function runBatch(library: Library, batch: Batch, mode: RunMode): Promise<Observation> {
  const clock: Clock = {
    now: () => 1_000,
    schedule: (_delayMs, callback) => {
      let cancelled = false;
      void mode.pause().then(() => {
        if (!cancelled) callback();
      });
      return () => {
        cancelled = true;
      };
    },
  };
  const left: (() => unknown)[] = [];
  const filesystem = new library.MemoryFilesystem({ files: batch.files, maxBytes: batch.maxBytes, clock });
  for (const path of batch.directories) await filesystem.mkdir(path);
  const agent = agentFor(library);
  const accounts = agent.accounts.open(mode.accounts);
  agent.surroundings = {
    pause: mode.pause,
    leaveBehind: (work) => left.push(work),
    resources: [accounts.binding],
  };
  const resources = [library.binding(library.Filesystem, { instance: filesystem }), accounts.binding];
  const session = new library.Session({ id: 'session', clock });
  const ended: ToolInvokedPayload[] = [];
  const onEvent = (event: RunEvent): void => {
    if (event.type === 'tool-call-end') ended.push(event.invocation);
  };
  const adapter = library.scriptedAdapter((conversation, { turn }) => {
    const specs = (innerTurns(conversation) ?? batch.turns)[turn - 1];
    if (specs === undefined) return { text: 'done' };
    return { toolCalls: specs.map((spec) => ({ name: toolNameOf(spec), arguments: spec })) };
  });
  const response = await mode.drive(
    adapter.evaluate(agent.template.bind({}, { resources }), {
      session,
      limits: { maxConcurrentCalls: mode.concurrency },
      observers: [{ onEvent }],
      clock,
    }),
  );
  const lateSuccesses = await countSuccesses(library, left);
  const outcome = JSON.stringify(
    {
      results: response.conversation.filter((item) => item.type === 'tool-result'),
      state: agent.observe(session),
      files: await dump(filesystem),
      accounts: Object.fromEntries(
        [...accounts.book.entries].sort(([one], [other]) => (one < other ? -1 : 1)),
      ),
    },
    null,
    1,
  );
  return {
    outcome,
    reruns: ended.reduce((sum, invocation) => sum + Math.max(0, invocation.attempts - 1), 0),
    lateAccesses: left.length,
    lateSuccesses,
  };
}

/** The turns of an evaluation inside a call, which are what its user says; undefined in the outer one. */
function innerTurns(conversation: readonly ConversationItem[]): Batch['turns'] | undefined {
  const [first] = conversation;
  if (first?.type !== 'user') return undefined;
  const [part] = first.content;
  return part?.type === 'text' ? JSON.parse(part.text) : undefined;
}

async function countSuccesses(library: Library, left: readonly (() => unknown)[]): Promise<number> {
  let successes = 0;
  for (const work of left) {
    try {
      await work();
      successes += 1;
    } catch (error) {
      if (!library.TransactionClosedError.isInstance(error)) successes += 1;
    }
  }
  return successes;
}

async function dump(filesystem: Filesystem, path = '.'): Promise<readonly (readonly [string, string])[]> {
  const found: (readonly [string, string])[] = [];
  for (const entry of await filesystem.list(path)) {
    if (entry.kind === 'file') {
      found.push([entry.path, (await filesystem.read(entry.path)).text]);
    } else {
      found.push([`${entry.path}/`, ''], ...(await dump(filesystem, entry.path)));
    }
  }
  return found;
}
