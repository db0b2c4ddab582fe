import { PromptValidationError } from '../../../core/error/index.ts';
import { present } from '../../../core/internal/index.ts';
import { isSchemaObject, type JsonObject } from '../../../core/schema/index.ts';
import type { ModelSettings } from '../../../core/tool/index.ts';
import { notSettable, refuseBoth, refuseControlled, splitSettings } from '../../kit/index.ts';

/**
 * Settings of a request: the neutral ones except `stopSequences` and `seed`, which the provider does not support, and others
 * in its own format, such as `reasoning`, `metadata` or `max_tool_calls`.
 */
export type OpenAISettings = ModelSettings;

/** Keys that the prompt, the conversation and the options determine, or that this adapter does not support. */
const ownKeys = [
  ...['model', 'instructions', 'input', 'tools', 'tool_choice'],
  ...['stream', 'stream_options', 'background', 'background_options'],
  ...['previous_response_id', 'conversation', 'prompt'],
];

const refused = {
  stopSequences: 'the Responses API does not support it; describe the end of the answer in the instructions',
  seed: 'the Responses API does not support it; remove it',
};

/**
 * Converts settings to the provider's format.
 *
 * @throws {PromptValidationError} for a key that the adapter controls, a neutral setting that is unsupported or out of range, and a
 *   setting that is present in both forms.
 */
export function toWireSettings(settings: OpenAISettings): JsonObject {
  checkOwnKeys(settings);
  const { neutral, own } = splitSettings(settings, 'OpenAI', refused);
  const { maxOutputTokens, temperature, topP, reasoningEffort, parallelToolCalls, serviceTier } = neutral;
  const { reasoning } = own;
  const effort = isSchemaObject(reasoning) ? reasoning['effort'] : undefined;
  refuseBoth('maxOutputTokens', maxOutputTokens, 'max_output_tokens', own['max_output_tokens']);
  refuseBoth('topP', topP, 'top_p', own['top_p']);
  refuseBoth('reasoningEffort', reasoningEffort, 'reasoning.effort', effort);
  refuseBoth('parallelToolCalls', parallelToolCalls, 'parallel_tool_calls', own['parallel_tool_calls']);
  refuseBoth('serviceTier', serviceTier, 'service_tier', own['service_tier']);
  return {
    ...own,
    ...present({
      max_output_tokens: maxOutputTokens,
      temperature,
      top_p: topP,
      parallel_tool_calls: parallelToolCalls,
      service_tier: serviceTier === 'standard' ? 'default' : serviceTier,
      reasoning:
        reasoningEffort === undefined
          ? undefined
          : { ...(isSchemaObject(reasoning) ? reasoning : {}), effort: reasoningEffort },
    }),
  };
}

/** Merges settings for one request, `text` and `reasoning` one level deep; those of the evaluation take precedence. */
export function mergeSettings(adapter: JsonObject, evaluation: JsonObject): JsonObject {
  const merged: Record<string, JsonObject[string]> = { ...adapter, ...evaluation };
  for (const key of ['text', 'reasoning']) {
    const [under, over] = [adapter[key], evaluation[key]];
    if (isSchemaObject(under) && isSchemaObject(over)) merged[key] = { ...under, ...over };
  }
  return merged;
}

function checkOwnKeys(settings: OpenAISettings): void {
  refuseControlled('OpenAI', settings, ownKeys);
  const { text, include } = settings;
  if (isSchemaObject(text) && text['format'] !== undefined)
    throw notSettable('OpenAI', 'settings.text.format');
  if (include !== undefined && !Array.isArray(include)) {
    throw new PromptValidationError('The setting include must be a list of names.', {
      details: { option: 'settings.include' },
    });
  }
}
