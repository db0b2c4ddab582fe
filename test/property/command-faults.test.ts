import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type AgentOptions, defineAgent, promptTemplate } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import type { CommandParts } from '../../src/cli/agent/command-parts.ts';
import { readArguments } from '../../src/cli/commands/read-arguments.ts';
import type { JournalNames } from '../../src/cli/options/journal-names.ts';
import { runCommand } from '../../src/cli/run-command.ts';
import { serveCommand } from '../../src/cli/serve-command.ts';
import { draws } from '../support/draws.ts';
import { MemoryJournals } from '../unit/cli/journal/journals.ts';
import { capturedStream, fakeEnvironment, ofAgent, openedFolder } from '../unit/cli/support.ts';

/** What a command opens. */
const resources = ['servers', 'telemetry', 'journal', 'folder', 'record', 'log'] as const;
type Resource = (typeof resources)[number];

/** What can throw besides: steps of the agent and of the journal, writing to the output, and closing. */
const steps = [
  ...(['load', 'params', 'adapter', 'prepare', 'model', 'conclude', 'approve'] as const),
  ...(['runs', 'acquire', 'append', 'read', 'snapshot', 'changes', 'event', 'line', 'output'] as const),
] as const;
type Fault = Resource | (typeof steps)[number] | `closing ${Resource}`;

const boom = (what: string): never => {
  throw new Error(`boom in ${what}`);
};

interface Watched {
  readonly parts: CommandParts;
  /** What is open, in the order in which it was opened. */
  readonly open: Resource[];
  /** What was closed when something that was opened later was still open. */
  readonly early: Resource[];
  readonly reached: Set<Fault>;
}

/** Parts with what they open counted, and faults at the given places, each at its `after`-th time. */
function watched(faults: ReadonlyMap<Fault, number>): Watched & { readonly fail: (fault: Fault) => void } {
  const open: Resource[] = [];
  const early: Resource[] = [];
  const reached = new Set<Fault>();
  const times = new Map<Fault, number>();
  const fail = (fault: Fault): void => {
    const time = times.get(fault) ?? 0;
    times.set(fault, time + 1);
    if (faults.get(fault) !== time) return;
    reached.add(fault);
    boom(fault);
  };
  const opening = (resource: Resource): void => {
    fail(resource);
    open.push(resource);
  };
  const closing = (resource: Resource): void => {
    const place = open.lastIndexOf(resource);
    if (place < 0) throw new Error(`${resource} was closed twice`);
    if (place < open.length - 1) early.push(resource);
    open.splice(place, 1);
    fail(`closing ${resource}`);
  };
  const journals = new MemoryJournals();
  const observer = { onEvent: () => fail('event') };
  const own: Partial<AgentOptions<Record<never, never>, undefined>> = {
    params: () => {
      fail('params');
      return {};
    },
    adapter: () => {
      fail('adapter');
      return scriptedAdapter((conversation) => {
        fail('model');
        if (conversation.some(({ type }) => type === 'assistant')) return { text: 'Done.' };
        return { toolCalls: [{ name: 'write_file', arguments: { file_path: 'a.md', content: 'a\n' } }] };
      });
    },
    prepare: () => fail('prepare'),
    conclude: () => {
      fail('conclude');
      return {};
    },
    approve: () => {
      fail('approve');
      return { approved: true };
    },
  };
  const template = promptTemplate({ ns: 'tests', key: 'faults', sections: [vfsToolsSection()] });
  const parts = {
    load: async () => {
      fail('load');
      return ofAgent(defineAgent({ template, ...own }));
    },
    open: async () => {
      opening('folder');
      const folder = openedFolder({});
      const snapshot = folder.filesystem.snapshot.bind(folder.filesystem);
      const changesSince = folder.filesystem.changesSince.bind(folder.filesystem);
      Object.assign(folder.filesystem, {
        snapshot: () => {
          fail('snapshot');
          return snapshot();
        },
        changesSince: (since: Parameters<typeof changesSince>[0]) => {
          fail('changes');
          return changesSince(since);
        },
      });
      return { ...folder, close: async () => closing('folder') };
    },
    openServers: async () => {
      opening('servers');
      const close = async () => closing('servers');
      return { notes: [], secrets: [], addTo: (one: object) => one, close };
    },
    startTelemetry: async () => {
      opening('telemetry');
      const end = async () => {
        closing('telemetry');
        return [];
      };
      return { observer, runIn: <T>(work: () => T) => work(), end };
    },
    openRecord: async () => {
      opening('record');
      const close = async () => {
        closing('record');
        return [];
      };
      return { observer, close };
    },
    openLog: () => {
      opening('log');
      return { write: () => fail('line'), close: () => closing('log') };
    },
    journals: {
      open: async (names: JournalNames | undefined) => {
        opening('journal');
        const journal = await journals.open(names);
        const faulty = (name: 'runs' | 'acquire' | 'append' | 'read') => ({
          [name]: (...args: unknown[]) => {
            fail(name);
            return Reflect.apply(journal[name], journal, args);
          },
        });
        return {
          ...faulty('runs'),
          ...faulty('acquire'),
          ...faulty('append'),
          ...faulty('read'),
          revoke: (sessionId: string) => journal.revoke(sessionId),
          remove: (runId: string) => journal.remove(runId),
          [Symbol.asyncDispose]: async () => closing('journal'),
        };
      },
      openExisting: (names: JournalNames | undefined) => journals.openExisting(names),
      pathsOf: journals.pathsOf,
    },
    input: () => Readable.from([]),
  };
  // Each has what a command asks of it.
  return { parts: parts as unknown as CommandParts, open, early, reached, fail };
}

/** Options with which a run opens each resource; without one, it does without. */
const wordOf: Readonly<Record<Exclude<Resource, 'folder'>, string>> = {
  servers: '--mcp=m.json',
  telemetry: '--otel',
  journal: '--durable',
  record: '--record=r.jsonl',
  log: '--log=l',
};

const faults: readonly Fault[] = [
  ...resources,
  ...steps,
  ...resources.map((each) => `closing ${each}` as const),
];
const chosenFaults = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...faults), fc.nat({ max: 3 })), {
    maxLength: 3,
    selector: ([fault]) => fault,
  })
  .map((chosen) => new Map(chosen));
const chosenWords = fc.subarray(Object.values(wordOf));

it('closes what it has opened, what was opened last first, whatever step of a command throws', async () => {
  const reached = new Set<Fault>();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('run', 'serve'),
      chosenFaults,
      chosenWords,
      async (command, given, words) => {
        const { parts, open, early, fail, ...seen } = watched(given);
        const known = command === 'run' ? words : words.filter((word) => word !== wordOf.log);
        const request = readArguments([command, 'a.ts', ...known]);
        const stdout = { ...capturedStream(), write: () => fail('output') };
        const environment = fakeEnvironment({ stdout });
        try {
          if (request.kind === 'run') await runCommand(request, environment, parts);
          else if (request.kind === 'serve') await serveCommand(request, environment, parts);
          else throw new TypeError(request.kind);
        } catch (error) {
          expect(String(error)).toMatch(/boom|cannot|SuppressedError/);
        }
        expect({ open, early }).toEqual({ open: [], early: [] });
        for (const fault of seen.reached) reached.add(fault);
      },
    ),
    { numRuns: draws(2000) },
  );
  // The faults are where the commands pass.
  expect(reached.size).toBeGreaterThan(faults.length / 2);
});
