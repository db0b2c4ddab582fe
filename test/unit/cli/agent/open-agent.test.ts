import { describe, expect, it } from 'vitest';
import { defineAgent, promptTemplate } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import type { CommandParts } from '../../../../src/cli/agent/command-parts.ts';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';
import type { OpenedJournal } from '../../../../src/cli/journal/opened-journal.ts';
import { runCommand } from '../../../../src/cli/run-command.ts';
import { serveCommand } from '../../../../src/cli/serve-command.ts';
import { MemoryJournals } from '../journal/journals.ts';
import { fakeEnvironment, ofAgent, openedFolder, request } from '../support.ts';

const agent = defineAgent({
  template: promptTemplate({ ns: 'tests', key: 'opened', sections: [vfsToolsSection()] }),
  adapter: scriptedAdapter([{ text: 'Done.' }]),
});

/** The steps of opening an agent, in their order. */
const steps = ['servers', 'telemetry', 'journal', 'folder', 'record', 'log'] as const;
type Step = (typeof steps)[number];

/** Parts that say what they open and close, and one of which throws. */
function watchedParts(failing: Step | undefined): { parts: CommandParts; opened: Step[]; closed: Step[] } {
  const opened: Step[] = [];
  const closed: Step[] = [];
  const open = (step: Step): void => {
    if (step === failing) throw new Error(`no ${step}`);
    opened.push(step);
  };
  const close = (step: Step): void => void closed.push(step);
  const journals = new MemoryJournals();
  const journalFiles: CommandParts['journals'] = {
    open: async (file) => {
      open('journal');
      const journal: OpenedJournal = await journals.open(file);
      return Object.assign(Object.create(journal) as OpenedJournal, {
        [Symbol.asyncDispose]: async () => close('journal'),
      });
    },
    openExisting: (file) => journals.openExisting(file),
    pathsOf: journals.pathsOf,
  };
  const observer = { onEvent: () => undefined };
  const parts = {
    load: async () => ofAgent(agent),
    open: async () => {
      open('folder');
      return { ...openedFolder({}), close: async () => close('folder') };
    },
    openServers: async () => {
      open('servers');
      return {
        notes: [],
        secrets: [],
        addTo: (one: typeof agent) => one,
        close: async () => close('servers'),
      };
    },
    startTelemetry: async () => {
      open('telemetry');
      return {
        observer,
        runIn: <T>(work: () => T) => work(),
        end: async () => {
          close('telemetry');
          return [];
        },
      };
    },
    openRecord: async () => {
      open('record');
      return {
        observer,
        close: async () => {
          close('record');
          return [];
        },
      };
    },
    openLog: () => {
      open('log');
      return { write: () => undefined, close: () => close('log') };
    },
    journals: journalFiles,
  };
  // Each has what a command asks of it.
  return { parts: parts as unknown as CommandParts, opened, closed };
}

const run = (parts: CommandParts): Promise<number> =>
  runCommand(
    request('run', 'a.ts', '--mcp=m.json', '--otel', '--durable', '--record=r.jsonl', '--log=l'),
    fakeEnvironment(),
    parts,
  );

describe('an agent that a command opens', () => {
  it('is closed after the run, what was opened last first', async () => {
    const { closed, opened, parts } = watchedParts(undefined);
    expect(await run(parts)).toBe(0);
    expect(opened).toEqual(steps);
    expect(closed).toEqual(steps.toReversed());
  });

  it.each(steps)('has nothing left open when its step %s throws', async (step) => {
    const { closed, opened, parts } = watchedParts(step);
    await expect(run(parts)).rejects.toThrow(`no ${step}`);
    expect(opened).toEqual(steps.slice(0, steps.indexOf(step)));
    expect(closed).toEqual(opened.toReversed());
  });

  it.each(steps.slice(0, -1))('to be served has nothing left open when its step %s throws', async (step) => {
    const { closed, opened, parts } = watchedParts(step);
    const words = ['serve', 'a.ts', '--mcp=m.json', '--otel', '--durable', '--record=r.jsonl'];
    const asked = readArguments(words);
    if (asked.kind !== 'serve') throw new Error(asked.kind);
    await expect(serveCommand(asked, fakeEnvironment(), parts)).rejects.toThrow(`no ${step}`);
    expect(closed).toEqual(opened.toReversed());
  });
});
