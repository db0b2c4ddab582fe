import { describe, expect, it } from 'vitest';
import {
  type EvaluateOptions,
  PromptRenderingLog,
  promptTemplate,
  Session,
  section,
  WinkError,
} from 'weakincentives';
import { mockHostedToolCodec, type ScriptedAdapterOptions, scriptedAdapter } from 'weakincentives/testing';
import { type HostedMcpConfig, hostedMcpTool } from 'weakincentives/tools';
import { evaluationFailure } from '../../support/failure.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { refusal } from '../core/prompt/refusal.ts';

const secrets = ['hidden-token', 'hidden-header', 'hidden-query'] as const;
const [token, header, query] = secrets;
const config: HostedMcpConfig = {
  label: 'wiki',
  url: `https://wiki.example/mcp?key=${query}`,
  authorization: token,
  headers: { 'X-Key': header },
};

const template = promptTemplate({
  ns: 'test',
  key: 'secrets',
  sections: [
    section({
      title: 'Wiki',
      key: 'wiki',
      template: 'Read the wiki.',
      hostedTools: [hostedMcpTool({ config })],
    }),
  ],
});

/** Everything that an object says of itself, also what is not enumerable, as errors do. */
function everythingOf(value: unknown, seen: Set<unknown> = new Set()): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (seen.has(value)) return '';
  seen.add(value);
  return Reflect.ownKeys(value)
    .map((key) => `${String(key)}: ${everythingOf(Reflect.get(value, key), seen)}`)
    .join('\n');
}

function expectNoSecret(value: unknown): void {
  const text = everythingOf(value);
  expect(text.length).toBeGreaterThan(0);
  for (const secret of secrets) expect(text).not.toContain(secret);
}

describe('secrets of a remote server', () => {
  it('are where an adapter looks for them', async () => {
    const { hostedTools } = await template.bind().render();
    expect(hostedTools[0]?.config).toEqual(config);
    // The helper of these tests sees them there.
    expect(() => expectNoSecret(hostedTools)).toThrow(/hidden/);
  });

  it('do not appear in the description of a prompt', async () => {
    const { text, descriptor, toolParamDescriptions } = await template.bind().render();
    expectNoSecret({ text, descriptor, toolParamDescriptions });
  });

  it.each<[string, ScriptedAdapterOptions]>([
    ['finishes', {}],
    ['finishes with a codec', { hostedToolCodecs: { mcp: mockHostedToolCodec({ kind: 'mcp' }) } }],
    ['ends for a kind without a codec', { hostedToolCodecs: {} }],
    [
      'ends because of a config that cannot be encoded',
      {
        hostedToolCodecs: {
          mcp: mockHostedToolCodec({
            kind: 'mcp',
            serialize: () => ({ tools: [], unsupported: ['authorization', 'headers.X-Key'] }),
          }),
        },
      },
    ],
    [
      'continues without options that cannot be encoded',
      {
        unsupportedConfig: 'warn',
        hostedToolCodecs: {
          mcp: mockHostedToolCodec({
            kind: 'mcp',
            serialize: () => ({ tools: [], unsupported: ['headers'] }),
          }),
        },
      },
    ],
  ])('do not appear in the events of a run that %s', async (_what, options) => {
    const logger = recordingLogger();
    const events: unknown[] = [];
    await using session = new Session();
    const run: EvaluateOptions = { session, logger, observers: [{ onEvent: (event) => events.push(event) }] };
    const adapter = scriptedAdapter([{ text: 'Read.' }], options);
    const ending = await adapter.evaluate(template.bind(), run).catch((error: unknown) => error);
    expectNoSecret(ending);
    expectNoSecret({ events, lines: logger.lines });
    expectNoSecret(session.exportState({ includeLogs: true }));
    const renderings = session.slice(PromptRenderingLog).all();
    if (!WinkError.isInstance(ending)) expect(renderings.map((each) => each.hostedTools)).toEqual([['wiki']]);
    expectNoSecret(renderings);
  });

  it('do not appear in the error of a failing model', async () => {
    const fails = scriptedAdapter(() => {
      throw new Error('no connection');
    });
    expectNoSecret(await evaluationFailure(fails.evaluate(template.bind(), { retry: false })));
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['a token with a line break', { authorization: `${token}\n` }],
    ['a token that is not a string', { authorization: [token] }],
    ['a header with a line break', { headers: { 'X-Key': `${header}\r\nX-More: 1` } }],
    ['a header that is not a string', { headers: { 'X-Key': { value: header } } }],
    ['headers that are not an object', { headers: `X-Key: ${header}` }],
    ['a token given twice', { headers: { Authorization: header } }],
    ['a password in the address', { url: `https://me:${token}@wiki.example/` }],
    ['an address without https', { url: `http://wiki.example/${query}?key=${query}` }],
    ['an address that is none', { url: `wiki.example/${query}` }],
    ['another key that is unknown', { label: 'wiki', token }],
  ])('are not in the refusal of %s', (_what, wrong) => {
    // Plain JavaScript can pass anything.
    expectNoSecret(refusal(() => hostedMcpTool({ config: { ...config, ...wrong } })));
  });
});
