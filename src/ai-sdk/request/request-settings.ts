import { PromptValidationError } from '../../error/index.ts';
import { splitSettings } from '../../provider/internal.ts';
import { isSchemaObject, type JsonObject } from '../../schema/index.ts';
import type { ModelSettings } from '../../tool/index.ts';
import type { AiSdkCallOptions, AiSdkVersion, ProviderOptions, WireObject } from '../wire/call-options.ts';

/** The settings of one call, as the model takes them. */
export type CallSettings = Pick<
  AiSdkCallOptions<'v4'>,
  | 'maxOutputTokens'
  | 'temperature'
  | 'topP'
  | 'topK'
  | 'presencePenalty'
  | 'frequencyPenalty'
  | 'stopSequences'
  | 'seed'
  | 'reasoning'
> & { readonly providerOptions: ProviderOptions; readonly headers: Readonly<Record<string, string>> };

const numbers = ['topK', 'presencePenalty', 'frequencyPenalty'] as const;
const knownKeys: readonly string[] = [...numbers, 'providerOptions', 'headers'];

/**
 * Settings of a call, later ones over earlier ones; options of a provider and headers one by one.
 *
 * @throws {PromptValidationError} for a setting that the interface does not have, or with a value that it does not take.
 */
export function readSettings(version: AiSdkVersion, ...layers: readonly ModelSettings[]): CallSettings {
  const read = layers.map((layer) => readLayer(version, layer));
  return {
    ...Object.assign({}, ...read.map(({ call }) => call)),
    providerOptions: mergeProviderOptions(...read.map(({ providerOptions }) => providerOptions)),
    headers: Object.assign({}, ...read.map(({ headers }) => headers)),
  };
}

interface Layer {
  readonly call: Omit<CallSettings, 'providerOptions' | 'headers'>;
  readonly providerOptions: ProviderOptions;
  readonly headers: Readonly<Record<string, string>>;
}

function readLayer(version: AiSdkVersion, settings: ModelSettings): Layer {
  const { neutral, own } = splitSettings(settings, 'AI SDK', version === 'v4' ? {} : refusedByV3);
  const { stopSequences, reasoningEffort, ...plain } = neutral;
  for (const [key, value] of Object.entries(own)) {
    if (value !== undefined && !knownKeys.includes(key)) {
      const instead = `what only its provider knows belongs into providerOptions, such as { providerOptions: { anthropic: { … } } }`;
      throw fault(`There is no setting "${key}" for models of the AI SDK: ${instead}.`, key);
    }
  }
  const numeric = numbers.flatMap((key) => {
    const value = own[key];
    if (value === undefined) return [];
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      throw fault(`The setting ${key} must be a number, got ${JSON.stringify(value)}.`, key);
    }
    return [[key, value] as const];
  });
  return {
    call: {
      ...plain,
      ...Object.fromEntries(numeric),
      ...(stopSequences === undefined ? {} : { stopSequences: [...stopSequences] }),
      ...(reasoningEffort === undefined ? {} : { reasoning: reasoningEffort }),
    },
    providerOptions: readProviderOptions(own['providerOptions']),
    headers: readHeaders(own['headers']),
  };
}

const refusedByV3 = {
  reasoningEffort:
    'models of AI SDK 6 take it in their provider’s own words, such as { providerOptions: { openai: { reasoningEffort: "low" } } }',
};

function readProviderOptions(value: unknown): ProviderOptions {
  if (value === undefined) return {};
  if (isSchemaObject(value) && Object.values(value).every((options) => isSchemaObject(options))) {
    // Each value was looked at. The models' types know no read-only lists; no model writes into them.
    return value as unknown as ProviderOptions;
  }
  throw fault(
    'The setting providerOptions must hold an object of options for each provider.',
    'providerOptions',
  );
}

function readHeaders(value: unknown): Readonly<Record<string, string>> {
  if (value === undefined) return {};
  if (isSchemaObject(value) && Object.values(value).every((header) => typeof header === 'string')) {
    // Each value was looked at.
    return value as Readonly<Record<string, string>>;
  }
  throw fault('The setting headers must have a string for each header.', 'headers');
}

/** Options of providers put together: of the same option the last one counts. */
export function mergeProviderOptions(...all: readonly ProviderOptions[]): ProviderOptions {
  const merged: ProviderOptions = {};
  for (const options of all) {
    for (const [provider, own] of Object.entries(options)) merged[provider] = { ...merged[provider], ...own };
  }
  return merged;
}

/**
 * What hosted tools add to the options of providers. A list, such as one of servers, is appended to the existing one; of anything else
 * what is there stays.
 *
 * @throws {PromptValidationError} when they ask for more than that.
 */
export function addToProviderOptions(options: ProviderOptions, request: JsonObject): ProviderOptions {
  const { providerOptions, ...rest } = request;
  const [foreign] = Object.keys(rest);
  if (foreign !== undefined) {
    throw fault(
      `A codec for hosted tools can only add providerOptions to a request, not "${foreign}".`,
      foreign,
    );
  }
  const added = readProviderOptions(providerOptions);
  const joined = Object.entries(added).map(([provider, own]) => {
    const before = options[provider] ?? {};
    const entries = Object.entries(own).map(([key, value]) => [key, join(before[key], value)] as const);
    return [provider, Object.fromEntries(entries)] as const;
  });
  return mergeProviderOptions(options, Object.fromEntries(joined));
}

function join(before: WireObject[string], value: WireObject[string]): WireObject[string] {
  if (Array.isArray(before) && Array.isArray(value)) return [...before, ...value];
  if (before === undefined) return value;
  return isSchemaObject(before) && isSchemaObject(value) ? { ...value, ...before } : before;
}

function fault(message: string, key: string): PromptValidationError {
  return new PromptValidationError(message, { details: { option: `settings.${key}` } });
}
