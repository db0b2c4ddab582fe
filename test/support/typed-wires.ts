import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { createAnthropic as createAnthropicV3 } from 'ai-sdk-anthropic-v3';
import { createOpenAI as createOpenAIV3 } from 'ai-sdk-openai-v3';
import OpenAI from 'openai';
import {
  type AnySection,
  MemoryFilesystem,
  type Prompt,
  type ProviderAdapter,
  promptTemplate,
  section,
} from 'weakincentives';
import { aiSdk } from 'weakincentives/ai-sdk';
import { anthropic } from 'weakincentives/anthropic';
import { openai } from 'weakincentives/openai';
import { shellSection } from 'weakincentives/sandbox';
import {
  type ProviderToolsSectionOptions,
  providerToolsSection,
  vfsToolsSection,
} from 'weakincentives/tools';
import { type FakeBackend, fakeBackend, outcome } from '../unit/host/sandbox/shell/fake-backend.ts';
import { message as anthropicMessage, text } from './anthropic-messages.ts';
import { answering } from './anthropic-stream.ts';
import { type CapturedAnswer, type CapturedRequest, capturingFetch } from './captured-requests.ts';
import { message, response } from './openai-responses.ts';
import { inEitherMode } from './openai-stream.ts';

/** An item or a block, as it is on the wire. */
export type Item = Readonly<Record<string, unknown>>;

/** Makes an adapter over a `fetch`. */
export type MakeAdapter = (
  fetch: typeof globalThis.fetch,
  more?: { readonly openedTools?: 'append' | 'in-place' },
) => ProviderAdapter;

/** The adapters that speak the Responses API, each over the vendor's own client. */
export const openaiAdapters: Readonly<Record<'native' | 'aiSdk v4' | 'aiSdk v3', MakeAdapter>> = {
  native: (fetch, more) =>
    openai({ model: 'gpt-5.4', client: new OpenAI({ apiKey: 'k', fetch, maxRetries: 0 }), ...more }),
  'aiSdk v4': (fetch, more) =>
    aiSdk({ model: createOpenAI({ apiKey: 'k', fetch }).responses('gpt-5.4'), ...more }),
  'aiSdk v3': (fetch, more) =>
    aiSdk({ model: createOpenAIV3({ apiKey: 'k', fetch }).responses('gpt-5.4'), ...more }),
};

/** The adapters that speak the Messages API. */
export const anthropicAdapters: Readonly<Record<'native' | 'aiSdk v4' | 'aiSdk v3', MakeAdapter>> = {
  native: (fetch, more) =>
    anthropic({
      model: 'claude-sonnet-5-5',
      client: new Anthropic({ apiKey: 'k', fetch, maxRetries: 0 }),
      promptCaching: false,
      ...more,
    }),
  'aiSdk v4': (fetch, more) =>
    aiSdk({
      model: createAnthropic({ apiKey: 'k', fetch })('claude-sonnet-5-5'),
      promptCaching: false,
      ...more,
    }),
  'aiSdk v3': (fetch, more) =>
    aiSdk({
      model: createAnthropicV3({ apiKey: 'k', fetch })('claude-sonnet-5-5'),
      promptCaching: false,
      ...more,
    }),
};

/** Each adapter, asked for whole answers and for streams. */
export function inBothModes<Name extends string>(
  adapters: Readonly<Record<Name, MakeAdapter>>,
): readonly (readonly [name: string, streaming: boolean, make: MakeAdapter])[] {
  return Object.entries<MakeAdapter>(adapters).flatMap(([name, make]) =>
    [false, true].map((streaming) => [name, streaming, make] as const),
  );
}

/** An adapter whose model gives these answers, and the requests that it got. */
export interface TypedWire {
  readonly adapter: ProviderAdapter;
  readonly requests: readonly CapturedRequest[];
}

/** The model answers with these items, turn by turn, and then with a text. */
export function answeringItems(make: MakeAdapter, ...turns: readonly (readonly Item[])[]): TypedWire {
  return wireOf(make, [
    ...turns.map((output, index) => inEitherMode(response(output, { id: `resp_${index + 1}` }))),
    inEitherMode(response([message('end')], { id: 'resp_end' })),
  ]);
}

/** The model answers with these blocks, turn by turn, and then with a text. */
export function answeringBlocks(make: MakeAdapter, ...turns: readonly (readonly Item[])[]): TypedWire {
  return wireOf(make, [
    ...turns.map((content) => answering(anthropicMessage(content))),
    answering(anthropicMessage([text('end', [])])),
  ]);
}

function wireOf(make: MakeAdapter, answers: readonly CapturedAnswer[]): TypedWire {
  const { fetch, requests } = capturingFetch(...answers);
  return { adapter: make(fetch), requests };
}

/** A list of the body of a request. */
export function listIn(request: CapturedRequest | undefined, name: string): readonly Item[] {
  // What the clients of the vendors send.
  return (request?.body[name] ?? []) as unknown as readonly Item[];
}

/** The items of a request that answer calls. */
export function outputsIn(request: CapturedRequest | undefined): readonly Item[] {
  return listIn(request, 'input').filter(({ type }) => String(type).endsWith('_output'));
}

/** The blocks of a request that answer calls. */
export function resultsIn(request: CapturedRequest | undefined): readonly Item[] {
  return listIn(request, 'messages').flatMap(({ content }) =>
    (Array.isArray(content) ? (content as readonly Item[]) : []).filter(({ type }) => type === 'tool_result'),
  );
}

/** A `shell_call`. */
export function shellCall(callId: string, commands: unknown, action: Item = {}, more: Item = {}): Item {
  return {
    id: `sh_${callId}`,
    type: 'shell_call',
    call_id: callId,
    status: 'completed',
    action: { commands, timeout_ms: null, max_output_length: null, ...action },
    environment: { type: 'local' },
    ...more,
  };
}

/** An `apply_patch_call`. */
export function patchCall(callId: string, operation: unknown, more: Item = {}): Item {
  return {
    id: `ap_${callId}`,
    type: 'apply_patch_call',
    call_id: callId,
    status: 'completed',
    operation,
    ...more,
  };
}

const printed = (output: string) => ({ text: output, totalBytes: output.length, omittedBytes: 0 });

/**
 * A shell with few commands, one after the other between `;`: `echo TEXT`, `warn TEXT`, `write PATH TEXT`, `cat PATH`, `exit CODE`, `hang`, `kill`, `print COUNT`.
 */
export function smallShell(asked: string[] = []): FakeBackend {
  return fakeBackend(async ({ command, timeoutMs }, files) => {
    asked.push(`${command} (${timeoutMs})`);
    let stdout = '';
    let stderr = '';
    const end = (more: object) => outcome({ stdout: printed(stdout), stderr: printed(stderr), ...more });
    for (const part of String(command).split(';')) {
      const [verb = '', first = '', ...rest] = part.trim().split(' ');
      if (verb === 'echo') stdout += `${[first, ...rest].join(' ')}\n`;
      else if (verb === 'warn') stderr += `${[first, ...rest].join(' ')}\n`;
      else if (verb === 'write') await files.write(first, rest.join(' '));
      else if (verb === 'cat') stdout += (await files.read(first)).text;
      else if (verb === 'print') stdout += 'x'.repeat(Number(first));
      else if (verb === 'exit') return end({ exitCode: Number(first) });
      else if (verb === 'hang') return end({ exitCode: undefined, timedOut: true });
      else if (verb === 'kill') return end({ exitCode: undefined, signal: 'SIGKILL' });
      else throw new Error(`The shell has no command ${verb}.`);
    }
    return end({ exitCode: 0 });
  });
}

/** What {@link typedPrompt} is made of. */
export interface TypedPromptParts {
  readonly backend?: FakeBackend;
  readonly filesystem?: MemoryFilesystem;
  readonly typed?: ProviderToolsSectionOptions;
  /** Sections before those. */
  readonly sections?: readonly AnySection[];
  readonly more?: Partial<Omit<Parameters<typeof promptTemplate>[0], 'ns' | 'key' | 'sections' | 'output'>>;
}

/** A prompt with files, the small shell, and shapes of vendors for them. */
export function typedPrompt({
  backend = smallShell(),
  filesystem = new MemoryFilesystem(),
  typed = { openai: { shell: true }, anthropic: { bash: true, textEditor: true, memory: true } },
  sections = [],
  more = {},
}: TypedPromptParts = {}): Prompt {
  return promptTemplate({
    ns: 'test',
    key: 'typed',
    sections: [
      section({ title: 'Task', key: 'task', template: 'Work.' }),
      ...sections,
      vfsToolsSection({ filesystem }),
      shellSection({ backend }),
      providerToolsSection(typed),
    ],
    ...more,
  }).bind();
}
