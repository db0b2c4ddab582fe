import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { describe, expect, it } from 'vitest';
import { MemoryFilesystem, type ProviderAdapter, runAgent } from 'weakincentives';
import { aiSdk } from 'weakincentives/ai-sdk';
import { anthropic } from 'weakincentives/anthropic';
import { openai } from 'weakincentives/openai';
import { bubblewrapSandbox } from 'weakincentives/sandbox';
import { agent } from '../../examples/fix-tests/agent.ts';
import { message as answer, text, toolUse } from '../support/anthropic-messages.ts';
import { capturingFetch } from '../support/captured-requests.ts';
import { functionCall, message, response } from '../support/openai-responses.ts';
import { unavailableReason } from './support/unavailable-reason.ts';

const project = fileURLToPath(new URL('../../examples/fix-tests/project/', import.meta.url));
const files = Object.fromEntries(
  readdirSync(project).map((name) => [name, readFileSync(`${project}${name}`, 'utf8')]),
);
const skip = await unavailableReason(bubblewrapSandbox());

const shell = (id: string, ...commands: readonly string[]) => ({
  id: `sh_${id}`,
  type: 'shell_call',
  call_id: id,
  status: 'completed',
  environment: { type: 'local' },
  action: { commands, timeout_ms: null, max_output_length: null },
});
const patch = (id: string, diff: string) => ({
  id: `ap_${id}`,
  type: 'apply_patch_call',
  call_id: id,
  status: 'completed',
  operation: { type: 'update_file', path: 'slug.sh', diff },
});
const line = (files['slug.sh'] ?? '').split('\n').find((each) => each.includes('s/[ _]/-/g')) ?? '';
const mended = line.replace('s/[ _]/-/g', 's/[ _][ _]*/-/g');
const wrongly = "sed -i 's/A-Z/A-M/' slug.sh && sh test.sh";

/** What models of OpenAI ask, and of Anthropic, one list of items for each turn. */
const byOpenAI = [
  [shell('c1', 'sh test.sh')],
  [shell('c2', wrongly, 'cat slug.sh')],
  // What a command prints does not count as reading.
  [functionCall('r1', 'read_file', { file_path: 'slug.sh' })],
  [patch('c3', `@@\n-${line}\n+${mended}`)],
  [shell('c4', 'sh test.sh')],
  [message('The tests pass.')],
].map((items) => response(items));
const byAnthropic = [
  [toolUse('c1', 'bash', { command: 'sh test.sh' })],
  [toolUse('c2', 'bash', { command: wrongly })],
  [toolUse('c3', 'str_replace_based_edit_tool', { command: 'view', path: '/workspace/slug.sh' })],
  [
    toolUse('c4', 'str_replace_based_edit_tool', {
      command: 'str_replace',
      path: '/workspace/slug.sh',
      old_str: line,
      new_str: mended,
    }),
  ],
  [toolUse('c5', 'bash', { command: 'sh test.sh' })],
  [text('The tests pass.')],
].map((blocks) => answer(blocks));

const vendors: readonly (readonly [
  name: string,
  adapter: (fetch: typeof globalThis.fetch) => ProviderAdapter,
  answers: readonly object[],
])[] = [
  ['openai', (fetch) => openai({ model: 'gpt-5.4', apiKey: 'k', fetch }), byOpenAI],
  [
    'OpenAI by the AI SDK',
    (fetch) => aiSdk({ model: createOpenAI({ apiKey: 'k', fetch }).responses('gpt-5.4') }),
    byOpenAI,
  ],
  ['anthropic', (fetch) => anthropic({ model: 'claude-sonnet-5-5', apiKey: 'k', fetch }), byAnthropic],
  [
    'Anthropic by the AI SDK',
    (fetch) => aiSdk({ model: createAnthropic({ apiKey: 'k', fetch })('claude-sonnet-5-5') }),
    byAnthropic,
  ],
];

describe.each(vendors)('the example fix-tests in the shapes of %s', (_name, adapterOf, answers) => {
  it.skipIf(skip !== undefined)(
    `makes the tests pass, and a wrong edit on the way is rolled back${skip === undefined ? '' : ` (skipped: ${skip})`}`,
    async () => {
      const { fetch, requests } = capturingFetch(...answers);
      const outcomes: string[] = [];
      const workspace = new MemoryFilesystem();
      for (const [path, content] of Object.entries(files)) await workspace.write(path, content);
      const run = await runAgent(agent, {
        adapter: adapterOf(fetch),
        workspace,
        streaming: false,
        observers: [
          {
            onEvent: (event) => {
              if (event.type !== 'tool-call-end') return;
              outcomes.push(`${event.toolName} ${event.invocation.outcome}`);
            },
          },
        ],
      });
      expect(run.text).toBe('The tests pass.');
      expect(requests).toHaveLength(answers.length);
      const [first, second, edit] =
        answers === byOpenAI
          ? ['shell_execute', 'read_file', 'apply_patch']
          : ['read_file', 'edit_file', 'shell_execute'];
      expect(outcomes).toEqual([
        'shell_execute rolled-back',
        'shell_execute rolled-back',
        `${first} committed`,
        `${second} committed`,
        `${edit} committed`,
        ...(answers === byOpenAI ? ['shell_execute committed'] : []),
      ]);
      // The second command of the same call saw nothing of the wrong edit.
      if (answers === byOpenAI) expect(requests[2]?.text).toContain("tr 'A-Z' 'a-z'");
    },
  );
});
