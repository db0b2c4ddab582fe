import type { JsonObject } from '../../core/schema/index.ts';
import type { ReasoningEffort } from '../../core/tool/index.ts';
import { type ModelChoice, modelPrefixes, readModelChoice } from '../model/model-choice.ts';
import { choiceOption, type ValueOption, valueOption, withCandidates } from './make-option.ts';
import {
  type ContextCompaction,
  type ContextOverflow,
  efforts,
  readAmount,
  readBaseUrl,
  readCompaction,
  readParams,
} from './option-values.ts';

// What is said to an agent, and who answers.

export const params = (
  description = "Params of the prompt, over the agent's own; @FILE",
): ValueOption<'--params <JSON>', JsonObject> => valueOption('--params <JSON>', description, readParams);

/** An empty text is refused where it would say nothing. */
export const input = (description: string): ValueOption<'--input <TEXT>', string> =>
  valueOption('--input <TEXT>', description, (_name, text) => text);

export const model = (
  description = "openai:NAME, anthropic:NAME, ai-sdk:PACKAGE:NAME, claude-agent[:NAME], acp:COMMAND, or rule-based: the agent's own (default)",
): ValueOption<'--model <MODEL>', ModelChoice> =>
  withCandidates(
    valueOption('--model <MODEL>', description, (_name, text) => readModelChoice(text)),
    modelPrefixes,
  );

export const baseUrl = (): ValueOption<'--base-url <URL>', string> =>
  valueOption('--base-url <URL>', 'Server of openai:NAME or anthropic:NAME', readBaseUrl);

export const effort = (): ValueOption<'--effort <LEVEL>', ReasoningEffort> =>
  choiceOption('--effort <LEVEL>', `How much it thinks: ${efforts.join(', ')}`, efforts);

export const maxOutputTokens = (): ValueOption<'--max-output-tokens <N>', number> =>
  valueOption('--max-output-tokens <N>', 'Tokens of one answer', readAmount);

export const contextOverflow = (): ValueOption<'--context-overflow <WHAT>', ContextOverflow> =>
  choiceOption(
    '--context-overflow <WHAT>',
    'When the conversation is too long: error (default) or drop-tool-results',
    ['error', 'drop-tool-results'],
  );

export const contextCompact = (): ValueOption<'--context-compact <AT/TO>', ContextCompaction> =>
  valueOption(
    '--context-compact <AT/TO>',
    'Tokens of a request that is compacted, and to how many, such as 120000/40000',
    readCompaction,
  );

export const contextResults = (): ValueOption<'--context-results <N>', number> =>
  valueOption(
    '--context-results <N>',
    'Characters of a result beyond which it is read in parts',
    (name, text) => readAmount(name, text, 1_000),
  );

export const maxConversationTurns = (): ValueOption<'--max-conversation-turns <N>', number> =>
  valueOption('--max-conversation-turns <N>', 'Turns that are sent (default: all)', (name, text) =>
    readAmount(name, text, 2),
  );
