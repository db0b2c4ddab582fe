import { PromptValidationError } from '../error/index.ts';
import { isSchemaObject, type JsonObject } from '../schema/index.ts';
import type { ModelSettings } from '../tool/index.ts';

/** Settings of the provider in its own words, such as `temperature`, `max_output_tokens` or `reasoning`. */
export type OpenAISettings = ModelSettings;

/** What comes from the prompt, the conversation and the options, or what this adapter cannot work with. */
const ownKeys = [
  ...['model', 'instructions', 'input', 'tools', 'tool_choice'],
  ...['stream', 'stream_options', 'background', 'previous_response_id', 'conversation', 'prompt'],
];

/** @throws {PromptValidationError} for a key that is not the caller's to set. */
export function checkSettings(settings: OpenAISettings): void {
  for (const key of ownKeys) {
    if (settings[key] !== undefined) throw notSettable(`settings.${key}`);
  }
  const { text, include } = settings;
  if (isSchemaObject(text) && text['format'] !== undefined) throw notSettable('settings.text.format');
  if (include !== undefined && !Array.isArray(include)) {
    throw new PromptValidationError('The setting include must be a list of names.', {
      details: { option: 'settings.include' },
    });
  }
}

/** Settings of one request: those of the evaluation over those of the adapter, one level into `text`. */
export function mergeSettings(adapter: OpenAISettings, evaluation: OpenAISettings): JsonObject {
  const texts = [adapter['text'], evaluation['text']].filter((text) => isSchemaObject(text));
  return {
    ...adapter,
    ...evaluation,
    ...(texts.length === 0 ? {} : { text: Object.assign({}, ...texts) }),
  };
}

function notSettable(option: string): PromptValidationError {
  return new PromptValidationError(
    `The OpenAI adapter makes "${option}" itself; it cannot be set. Take it out of the settings.`,
    { details: { option } },
  );
}
