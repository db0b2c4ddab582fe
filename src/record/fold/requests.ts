import { ModelResponseError } from '../../core/error/index.ts';
import { present, spliceAll } from '../../core/internal/index.ts';
import type { ModelTurn, RecordedError } from '../../core/runtime/index.ts';
import type { JsonSchema, JsonValue } from '../../core/schema/index.ts';
import type { AssistantPart, ConversationItem, HostedToolReading } from '../../core/tool/index.ts';
import { rowMembers } from '../format/references.ts';
import type { RowEdit } from '../format/row-parts.ts';
import { type RequestRow, type ResponseRow, responseAnswer } from '../format/rows.ts';
import type { RecordedRequest, RecordedResponse } from './run-record.ts';

type Tools = RecordedRequest['tools'];

/** The requests of one run, each known as a difference from the one before. */
export class RequestHistory {
  readonly #edits: (readonly RowEdit[])[] = [];
  readonly #tools = new Map<string, Tools>();
  #instructions: string | undefined;
  #toolsText: string | undefined;
  /** The conversation that was built last, and of which request. */
  #built: { readonly index: number; readonly items: readonly ConversationItem[] } = { index: -1, items: [] };

  add(row: RequestRow): RecordedRequest {
    const index = this.#edits.push(row.edits) - 1;
    const { instructions, tools, toolChoice, outputSchema, hostedTools = [], tokens, t } = row;
    const isFirst = index === 0;
    const request: Omit<RecordedRequest, 'conversation'> = {
      atMs: t,
      instructions,
      tools: this.#parsed(tools),
      hostedTools,
      toolChoice,
      settings: row.settings,
      ...present({
        outputSchema: outputSchema === undefined ? undefined : (parsed(outputSchema) as JsonSchema),
      }),
      added: row.edits.flatMap(insertedBy),
      removed: row.edits.reduce((sum, { remove }) => sum + remove, 0),
      changedInstructions: !isFirst && instructions !== this.#instructions,
      changedTools: !isFirst && tools !== this.#toolsText,
      tokens,
    };
    this.#instructions = instructions;
    this.#toolsText = tools;
    const conversation = (): readonly ConversationItem[] => this.#conversationAt(index);
    return Object.defineProperty(request, 'conversation', {
      enumerable: true,
      get: conversation,
    }) as RecordedRequest;
  }

  #conversationAt(index: number): readonly ConversationItem[] {
    if (this.#built.index === index) return this.#built.items;
    const start = this.#built.index < index ? this.#built : { index: -1, items: [] };
    const items: ConversationItem[] = [...start.items];
    for (const edits of this.#edits.slice(start.index + 1, index + 1)) {
      for (const edit of edits) spliceAll(items, edit.at, edit.remove, insertedBy(edit));
    }
    this.#built = { index, items };
    return items;
  }

  /** The same text is parsed once. */
  #parsed(text: string): Tools {
    const known = this.#tools.get(text);
    if (known !== undefined) return known;
    const value = parsed(text);
    const tools = Array.isArray(value) ? (value as unknown as Tools) : [];
    this.#tools.set(text, tools);
    return tools;
  }
}

/** The messages that an edit inserts. */
function insertedBy({ insert }: RowEdit): readonly ConversationItem[] {
  // The reader of rows has checked that each is a message.
  return insert as unknown as readonly ConversationItem[];
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}

/** The answer of a row. */
export function recordedResponse(row: ResponseRow): RecordedResponse {
  const { content = [], responseModel: model, ...answer } = rowMembers(responseAnswer, row);
  const textOf = (type: string): string =>
    content
      .flatMap((part) => (part['type'] === type && typeof part['text'] === 'string' ? part['text'] : []))
      .join('');
  return {
    ...answer,
    atMs: row.t,
    text: textOf('text'),
    reasoning: textOf('reasoning'),
    content,
    isRedacted: row.redacted === true,
    ...present({ model }),
  };
}

/**
 * The answer of a model as it was.
 *
 * @throws what the model failed with, as far as a record has it.
 */
export function recordedTurn(response: RecordedResponse): ModelTurn {
  const { error, finishReason, usage, raw, hosted, responseId, model, hasFiles, isCompacted } = response;
  const { answeredBy, cache, serviceTier } = response;
  if (error !== undefined) throw toError(error);
  return {
    // The content of an answer is recorded as it is, and checked by the run like that of any model.
    content: response.content as unknown as readonly AssistantPart[],
    finishReason: finishReason ?? 'other',
    ...present({ usage, raw }),
    // As above.
    ...present({
      hosted: hosted as unknown as readonly HostedToolReading[] | undefined,
      responseId,
      responseModel: model,
      hasFiles,
      isCompacted,
      cache,
      answeredBy,
      serviceTier,
    }),
  };
}

/** An error with name, message and code of the recorded one. */
export function toError({ name, message, code }: RecordedError): Error {
  if (code === 'model-context-exceeded') return new ModelResponseError(code, message);
  const error = new Error(message);
  error.name = name;
  return error;
}
