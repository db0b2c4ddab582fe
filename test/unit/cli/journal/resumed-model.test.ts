import { beforeEach, expect, it } from 'vitest';
import { type AnyAgent, defineAgent, type ProviderAdapter, promptTemplate } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';
import type { ModelMakers } from '../../../../src/cli/model/model-makers.ts';
import { resumeCommand } from '../../../../src/cli/resume-command.ts';
import { runCommand } from '../../../../src/cli/run-command.ts';
import { fakeEnvironment, ofAgent, parts, request } from '../support.ts';
import { MemoryJournals } from './journals.ts';

const template = promptTemplate({ ns: 'tests', key: 'asker', name: 'Asker', sections: [] });
const asker: AnyAgent = defineAgent({
  template,
  workspace: false,
  adapter: scriptedAdapter([{ text: 'Of my own.' }], { name: 'own' }),
});

let journals: MemoryJournals;
/** What each adapter was made with. */
let asked: object[];

beforeEach(() => {
  journals = new MemoryJournals();
  asked = [];
});

/** Makers of models that give this answer; without one a run fails. */
function makers(text?: string): ModelMakers {
  const make =
    (kind: string) =>
    async (options: {
      readonly name: string;
      readonly timeoutMs?: number;
      readonly baseURL?: string;
    }): Promise<ProviderAdapter> => {
      asked.push({ kind, timeoutMs: options.timeoutMs, baseURL: options.baseURL });
      return scriptedAdapter(text === undefined ? [] : [{ text }], { name: kind });
    };
  return {
    openai: make('openai'),
    anthropic: make('anthropic'),
    'ai-sdk': make('ai-sdk'),
    'claude-agent': make('claude-agent'),
    acp: make('acp'),
  };
}

const partsWith = (text?: string) => parts(ofAgent(asker), {}, { journals, makers: makers(text) });

async function failed(): Promise<void> {
  const model = ['--model', 'openai:x', '--base-url', 'http://127.0.0.1:1/v1', '--timeout', '30s'];
  const run = request('run', 'agent.ts', '--durable', '--run-id', 'one', ...model);
  expect(await runCommand(run, fakeEnvironment(), partsWith())).toBe(1);
  expect(asked.splice(0)).toEqual([{ kind: 'openai', timeoutMs: 30_000, baseURL: 'http://127.0.0.1:1/v1' }]);
}

async function resume(...argv: readonly string[]): Promise<number> {
  const read = readArguments(['resume', 'one', ...argv]);
  if (read.kind !== 'resume') throw new Error(JSON.stringify(read));
  const variables = { ANTHROPIC_API_KEY: 'k' };
  return resumeCommand(read, fakeEnvironment({ variables }), partsWith('Answered.'));
}

it.each<[readonly string[], object]>([
  [[], { kind: 'openai', timeoutMs: 30_000, baseURL: 'http://127.0.0.1:1/v1' }],
  [['--timeout', '1m'], { kind: 'openai', timeoutMs: 60_000, baseURL: 'http://127.0.0.1:1/v1' }],
  [['--model', 'ai-sdk:p:m'], { kind: 'ai-sdk', timeoutMs: 30_000, baseURL: undefined }],
])('continues with what was kept for the model, but for what is given anew: %j', async (argv, expected) => {
  await failed();
  expect(await resume(...argv)).toBe(0);
  expect(asked).toEqual([expected]);
});

it('leaves out what was kept for another model where the new one does not take it', async () => {
  await failed();
  expect(await resume('--model', 'rule-based')).toBe(0);
  expect(asked).toEqual([]);
});

it('refuses what is given for a model that does not take it', async () => {
  await failed();
  await expect(resume('--model', 'rule-based', '--timeout', '1m')).rejects.toThrow(
    '--timeout is for openai:NAME',
  );
  await expect(resume('--model', 'rule-based', '--base-url', 'http://127.0.0.1:1')).rejects.toThrow(
    '--base-url names a server',
  );
});
