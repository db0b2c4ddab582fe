import { PromptValidationError } from '../error/index.ts';
import { splitSettings } from '../provider/internal.ts';
import { isSchemaObject, type JsonObject } from '../schema/index.ts';
import type { ModelSettings } from '../tool/index.ts';

/**
 * The neutral settings that the provider has (`maxOutputTokens`, `stopSequences`, `reasoningEffort`), and settings in its own words
 * such as `thinking`, `metadata`, `service_tier` or `top_k`. `disable_parallel_tool_use: true` makes the model ask for one call at
 * a time.
 */
export type AnthropicSettings = ModelSettings;

/** What comes from the prompt, the conversation and the options, or what this adapter cannot work with. */
const ownKeys = [
  ...['model', 'messages', 'system', 'tools', 'tool_choice', 'mcp_servers'],
  ...['stream', 'thread', 'cache_control', 'betas'],
];

const noSampling = 'the Messages interface does not declare it any more; leave it out';
const refused = { temperature: noSampling, topP: noSampling, seed: 'the provider does not support it' };

/**
 * Settings in the provider's words, each neutral one by its own name.
 *
 * @throws {PromptValidationError} for a setting that the provider does not have, that is out of its range, or that is not the
 *   caller's to set.
 */
export function toWireSettings(settings: AnthropicSettings): JsonObject {
  const { neutral, own } = splitSettings(settings, 'Anthropic', refused);
  for (const key of ownKeys) {
    if (own[key] !== undefined) throw notSettable(`settings.${key}`);
  }
  const { output_config: config, max_tokens: maxTokens } = own;
  if (maxTokens !== undefined && !(Number.isSafeInteger(maxTokens) && Number(maxTokens) >= 1)) {
    throw unusable('max_tokens', 'a whole number of at least 1', maxTokens);
  }
  if (config !== undefined && !isSchemaObject(config)) throw unusable('output_config', 'an object', config);
  if (config?.['format'] !== undefined) throw notSettable('settings.output_config.format');
  const { maxOutputTokens, stopSequences, reasoningEffort } = neutral;
  return merge(
    {
      ...(maxOutputTokens === undefined ? {} : { max_tokens: maxOutputTokens }),
      ...(stopSequences === undefined ? {} : { stop_sequences: stopSequences }),
      ...(reasoningEffort === undefined ? {} : toEffort(reasoningEffort)),
    },
    own,
  );
}

/** Settings of one request: those of the evaluation over those of the adapter, one level into `output_config`. */
export function mergeSettings(adapter: AnthropicSettings, evaluation: AnthropicSettings): JsonObject {
  const { reasoningEffort, ...others } = adapter;
  // "none" and the levels are different fields of the request; only one of them may be set.
  const outer = evaluation.reasoningEffort === undefined ? { ...others, reasoningEffort } : others;
  return merge(toWireSettings(outer), toWireSettings(evaluation));
}

function toEffort(effort: NonNullable<ModelSettings['reasoningEffort']>): JsonObject {
  if (effort === 'none') return { thinking: { type: 'disabled' } };
  if (effort !== 'minimal') return { output_config: { effort } };
  throw new PromptValidationError(
    'The Anthropic adapter has no setting "reasoningEffort: minimal": the provider supports none, low, medium, high, xhigh and max. The nearest is low.',
    { details: { option: 'settings.reasoningEffort', value: effort } },
  );
}

function merge(outer: JsonObject, inner: JsonObject): JsonObject {
  const configs = [outer['output_config'], inner['output_config']].filter((it) => isSchemaObject(it));
  return {
    ...outer,
    ...inner,
    ...(configs.length === 0 ? {} : { output_config: Object.assign({}, ...configs) }),
  };
}

function unusable(setting: string, expected: string, value: JsonObject[string]): PromptValidationError {
  return new PromptValidationError(`The setting ${setting} must be ${expected}.`, {
    details: { option: `settings.${setting}`, value },
  });
}

function notSettable(option: string): PromptValidationError {
  return new PromptValidationError(
    `The Anthropic adapter makes "${option}" itself; it cannot be set. Take it out of the settings.`,
    { details: { option } },
  );
}
