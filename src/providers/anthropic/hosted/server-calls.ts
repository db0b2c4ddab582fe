import { present } from '../../../core/internal/index.ts';
import type { Citation, HostedToolOutput } from '../../../core/tool/index.ts';
import {
  type Cited,
  fieldsIn,
  type HostedTurn,
  objectsIn,
  stringFields,
  type WireFields,
} from '../../kit/index.ts';

/** One invocation by the provider, with its input and result. */
export interface ServerCall {
  readonly id?: string;
  /** The provider's name of the tool; undefined when the call is in an earlier turn. */
  readonly name?: string;
  readonly input: WireFields;
  /** Undefined when the message ends before the result. */
  readonly result: WireFields | undefined;
}

/** The blocks of a tool. */
interface ServerCallShape {
  /** The type of the block of a call. */
  readonly use: 'server_tool_use' | 'mcp_tool_use';
  /** Whether the block of a call belongs to the tool. */
  isAbout(use: WireFields): boolean;
  /** Types of the blocks with results of the tool, regardless of the caller. */
  readonly results: readonly string[];
}

/**
 * The calls that the provider ran in one turn, in the order of the requests. A call left open by a paused turn gets its
 * result in the next turn, which then contains only the result.
 */
export function serverCallsOf({ items }: HostedTurn, shape: ServerCallShape): readonly ServerCall[] {
  const blocks = objectsIn(items);
  const results = new Map(
    blocks
      .filter(({ tool_use_id: id }) => typeof id === 'string')
      .map((block) => [block['tool_use_id'], block]),
  );
  const asked = new Set(blocks.filter(({ type }) => type === shape.use).map(({ id }) => id));
  return blocks.flatMap((block): readonly ServerCall[] => {
    const { type, id, name, input, tool_use_id: askedAs } = block;
    if (type === shape.use && shape.isAbout(block)) {
      return [{ ...stringFields({ id, name }), input: fieldsIn(input), result: results.get(id) }];
    }
    const isLate = shape.results.some((known) => known === type) && !asked.has(askedAs);
    return isLate ? [{ ...stringFields({ id: askedAs }), input: {}, result: block }] : [];
  });
}

/** The calls of tools with these names. */
export function callsOf(turn: HostedTurn, ...names: readonly string[]): readonly ServerCall[] {
  return serverCallsOf(turn, {
    use: 'server_tool_use',
    isAbout: ({ name }) => names.some((own) => own === name),
    results: names.map((name) => `${name}_tool_result`),
  });
}

/** The outcome of a call, from its result: a result whose type names an error contains its code. */
export function outcomeOf({ id, result }: ServerCall): HostedToolOutput {
  const named = present({ invocationId: id });
  if (result === undefined) return { status: 'incomplete', ...named };
  const { content, is_error: isError } = result;
  const { type, error_code: errorCode } = fieldsIn(content);
  const hasFailed = isError === true || (typeof type === 'string' && type.endsWith('_error'));
  return hasFailed
    ? { status: 'failed', ...stringFields({ errorCode }), ...named }
    : { status: 'completed', ...named };
}

/** The citations of one turn. A citation belongs to the text block that contains it. */
export function citationsOf(
  turn: HostedTurn,
  read: (citation: WireFields) => Cited | undefined,
): readonly Citation[] {
  return objectsIn(turn.items).flatMap((block) => {
    const { type, text, citations } = block;
    if (type !== 'text' || typeof text !== 'string') return [];
    const start = turn.startOf(block);
    const span = start === undefined ? {} : { span: [start, start + text.length] as const };
    return objectsIn(citations).flatMap((citation): readonly Citation[] => {
      const source = read(citation);
      const { cited_text: cited } = citation;
      if (source === undefined) return [];
      return [{ ...source, ...span, ...stringFields({ citedText: cited === '' ? undefined : cited }) }];
    });
  });
}
