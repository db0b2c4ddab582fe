import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ClaudeAgentOptions, type ClaudeAgentSdk, claudeAgent } from 'weakincentives/claude-agent';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider/fake-provider.ts';
import { expectAborted } from '../support/harness-runs/expect-aborted.ts';
import { installedFile, mustRun } from '../support/harness-runs/installed.ts';
import { privateFolder } from '../support/harness-runs/private-folder.ts';
import { hanging, twoEdits, writeReadWrite } from '../support/harness-runs/scripts.ts';
import { workshop } from '../support/harness-runs/workshop.ts';

const entry = installedFile('claude', '@anthropic-ai/claude-agent-sdk/sdk.mjs');

/** Claude Code with a model that follows a script. */
async function claude(provider: FakeProvider, options: ClaudeAgentOptions = {}) {
  const sdk: ClaudeAgentSdk = await import(entry ?? '');
  return claudeAgent({ sdk, env: envOf(provider), ...options });
}

const envOf = ({ url }: FakeProvider) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'no-key' });

describe.skipIf(entry === undefined)('Claude Code', () => {
  test('is denied a write, reads, writes, and is done', async () => {
    await using provider = await startFakeProvider(writeReadWrite);
    const shop = workshop();
    const adapter = await claude(provider);
    const response = await adapter.evaluate(shop.prompt, { input: 'Go.', observers: shop.observers });
    expect(response).toMatchObject({ text: 'Done.', finishReason: 'stop' });
    expect(shop.outcomes()).toEqual([
      ['write_file', 'denied'],
      ['read_file', 'committed'],
      ['write_file', 'committed'],
    ]);
    expect(await shop.text('config.yaml')).toBe('changed\n');
    // Four answers, each 100 tokens, 30 from the cache and 20 written to it.
    expect(response.usage).toEqual({
      inputTokens: 600,
      outputTokens: 40,
      cachedInputTokens: 120,
      cacheWriteInputTokens: 80,
    });
    expect(response.conversation.map(({ type }) => type)).toEqual([
      ...['user', 'assistant', 'tool-result', 'assistant', 'tool-result'],
      ...['assistant', 'tool-result', 'assistant'],
    ]);
    // Its model gets the rendered prompt, and no tools but those of the prompt.
    expect(JSON.stringify(provider.requests[0]?.body['system'])).toContain(
      'Change the files as you are asked to.',
    );
    const offered = provider.requests.flatMap(({ tools }) => tools);
    expect(
      offered.filter((name) => !name.startsWith('mcp__wink__') && name !== 'DeferredToolPlaceholder'),
    ).toEqual([]);
  });

  test('makes two edits of a file at the same time, and both are there', async () => {
    await using provider = await startFakeProvider(twoEdits);
    const shop = workshop();
    const adapter = await claude(provider);
    await adapter.evaluate(shop.prompt, { input: 'Go.', observers: shop.observers });
    expect(await shop.text('config.yaml')).toBe('a: one\nb: two\n');
    expect(shop.outcomes().filter(([name]) => name === 'edit_file')).toEqual([
      ['edit_file', 'committed'],
      ['edit_file', 'committed'],
    ]);
  });

  test('leaves no trace of a call in which it is aborted', async () => {
    await using provider = await startFakeProvider(hanging);
    await expectAborted(await claude(provider));
    expect(provider.requests).toHaveLength(1);
  });

  test('gives a structured answer, which is streamed, and is corrected by Claude Code itself', async () => {
    const answer = (count: unknown) => ({ calls: [{ name: 'StructuredOutput', arguments: { count } }] });
    await using provider = await startFakeProvider([answer('many'), answer(4)]);
    const shop = workshop();
    const adapter = await claude(provider);
    const response = await adapter.evaluate(shop.counter, {
      input: 'Count.',
      observers: shop.observers,
      streaming: true,
    });
    expect(response.output).toEqual({ count: 4 });
    expect(provider.requests).toHaveLength(2);
  });

  test('continues in its session when the task is not done', async () => {
    await using provider = await startFakeProvider([{ text: 'Once.' }, { text: 'Twice.' }]);
    const shop = workshop();
    const adapter = await claude(provider);
    const response = await adapter.evaluate(shop.prompt, {
      input: 'Go.',
      completion: {
        name: 'twice',
        check: ({ check }) =>
          check === 1 ? { outcome: 'incomplete', feedback: 'Say it twice.' } : { outcome: 'complete' },
      },
    });
    expect(response.text).toBe('Twice.');
    expect(JSON.stringify(provider.requests[1]?.body['messages'])).toContain('Say it twice.');
  });

  test('works with its own tools on a copy of the files, which is kept with the answer', async () => {
    const shop = workshop();
    const outside = join(tmpdir(), `wink-outside-${process.pid}.md`);
    await using provider = await startFakeProvider([
      {
        calls: [
          {
            name: 'Bash',
            arguments: { command: 'cat config.yaml > copy.md; echo more >> copy.md', description: 'Copy' },
          },
        ],
      },
      { calls: [{ name: 'Read', arguments: { file_path: '/etc/hostname' } }] },
      { calls: [{ name: 'Write', arguments: { file_path: outside, content: 'x' } }] },
      { text: 'Done.' },
    ]);
    const adapter = await claude(provider, { builtinTools: ['Bash', 'Read', 'Write'] });
    const response = await adapter.evaluate(shop.prompt, { input: 'Go.', observers: shop.observers });
    expect(response.text).toBe('Done.');
    expect(await shop.text('copy.md')).toBe('a: 1\nb: 2\nmore\n');
    expect(shop.outcomes()).toEqual([['harness_files', 'committed']]);
    // Paths outside of the copy are refused.
    const refusals = JSON.stringify(provider.requests.at(-1)?.body['messages']).split(
      'Only paths inside of the working directory',
    );
    expect(refusals).toHaveLength(3);
    expect(existsSync(outside)).toBe(false);
  });

  test('reads and writes nothing outside of the copy, however its model writes the path', async () => {
    await using home = await privateFolder();
    const secret = join(home.path, 'secret.md');
    await writeFile(secret, 'kept from the model');
    const found = { pattern: 'kept from', output_mode: 'content' };
    const ways = ['', ' ', '\t', '\n', '\u{a0}', '\u{feff}'];
    const call = (name: string, input: object) => ({ name, arguments: { ...input } });
    const calls = [
      ...ways.flatMap((blank) => [
        call('Read', { file_path: blank + secret }),
        call('Grep', { ...found, path: blank + home.path }),
        call('Glob', { pattern: '*.md', path: blank + home.path }),
        call('Glob', { pattern: `${blank}${home.path}/*` }),
        call('Write', { file_path: `${blank}${home.path}/made.md`, content: 'x' }),
      ]),
      call('Read', { file_path: relative('/', secret).replace(/^/, '../'.repeat(9)) }),
      call('Grep', { ...found, path: `//${home.path}` }),
      call('Glob', { pattern: `{${home.path},.}/*` }),
    ];
    // What was not read is refused by these themselves, before anybody is asked.
    const edits = [
      call('Edit', { file_path: ` ${secret}`, old_string: 'kept', new_string: 'lost' }),
      call('NotebookEdit', { notebook_path: `\t${home.path}/made.ipynb`, new_source: 'x' }),
    ];
    await using provider = await startFakeProvider([
      ...[...calls, ...edits].map((each) => ({ calls: [each] })),
      { calls: [call('Grep', { pattern: 'b: 2', path: '.', output_mode: 'content' })] },
      { text: 'Done.' },
    ]);
    const shop = workshop();
    const builtinTools = ['Read', 'Grep', 'Glob', 'Write', 'Edit', 'NotebookEdit'];
    const adapter = await claude(provider, { builtinTools, env: { ...envOf(provider), HOME: home.path } });
    const response = await adapter.evaluate(shop.prompt, { input: 'Go.' });
    expect(response.text).toBe('Done.');
    const said = JSON.stringify(provider.requests.at(-1)?.body['messages']);
    expect(said.split('Only paths inside of the working directory').length - 1).toBe(calls.length);
    expect(said).not.toContain('kept from the model');
    expect(said).toContain('config.yaml:2:b: 2');
    expect(readdirSync(home.path).filter((name) => name.startsWith('made'))).toEqual([]);
    expect(readFileSync(secret, 'utf8')).toBe('kept from the model');
  });
});

test.runIf(entry === undefined)('Claude Code is not installed: its tests are skipped', () => {
  expect(mustRun('claude')).toBe(false);
});
