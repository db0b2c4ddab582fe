import { isRecord, readJson } from '../../../core/internal/index.ts';
import { aiSdkOpenaiTypes, type DistinctCallIds, type WireFields } from '../../kit/index.ts';
import { keepFile } from './files.ts';
import { providerMetadataOf } from './provider-metadata.ts';

/** A part of an answer, unchanged except that it is plain JSON, to be sent back to the model. */
export type KeptPart = WireFields & { readonly type: string };

export function isPart(value: unknown): value is KeptPart {
  return isRecord(value) && typeof value['type'] === 'string';
}

/**
 * A summary that the provider put in the place of the conversation before it. The package of Anthropic gives it as text, which is not text of the
 * answer.
 */
export function isCompaction(part: WireFields): boolean {
  return part['type'] === 'text' && providerMetadataOf(part)['type'] === 'compaction';
}

/** A call that is answered here; those that the provider runs itself are not. */
export function isOwnCall(part: KeptPart): boolean {
  return part.type === 'tool-call' && part['providerExecuted'] !== true;
}

/**
 * The parts of an answer in stored form: bytes as base64 text, calls with unique ids, results of hosted tools only when they
 * are final.
 */
export function keepParts(content: readonly unknown[], callIds: DistinctCallIds): readonly KeptPart[] {
  return content.flatMap((part): readonly KeptPart[] => {
    if (!isPart(part) || part['preliminary'] === true) return [];
    if (isOwnCall(part)) return [withCallId(part, callIds.take(part['toolCallId']))];
    if (part.type !== 'file' && part.type !== 'reasoning-file') return [part];
    const data = keepFile(part['data']);
    return data === undefined ? [] : [{ ...part, data }];
  });
}

/** The member of the input where the package of OpenAI has the id, too, which it sends back: by the names of its tools. */
const idMembers: ReadonlyMap<unknown, string> = new Map([
  [aiSdkOpenaiTypes['openai.apply_patch'][0].name, 'callId'],
  [aiSdkOpenaiTypes['openai.tool_search'][0].name, 'call_id'],
]);

function withCallId(part: KeptPart, callId: string): KeptPart {
  const { input, toolCallId, toolName } = part;
  const kept = { ...part, toolCallId: callId };
  const member = callId === toolCallId ? undefined : idMembers.get(toolName);
  if (member === undefined || typeof input !== 'string') return kept;
  const fields = readJson(input);
  // A tool of the prompt that has this name may have such a member of its own.
  if (!isRecord(fields) || fields[member] !== toolCallId) return kept;
  return { ...kept, input: JSON.stringify({ ...fields, [member]: callId }) };
}

/**
 * The parts of a truncated answer, without truncated calls: they have no results, and providers refuse a conversation with
 * an unanswered call. The reasoning before a removed call is removed, too.
 *
 * @param options.withLast whether the last call is kept when its arguments are valid JSON. They may still be a placeholder
 * for missing arguments.
 */
export function withoutBrokenCalls(
  parts: readonly KeptPart[],
  { withLast }: { readonly withLast: boolean },
): readonly KeptPart[] {
  const last = parts.findLast(isOwnCall);
  const kept: KeptPart[] = [];
  for (const part of parts) {
    const isWhole = !isOwnCall(part) || (isJson(part['input']) && (withLast || part !== last));
    if (isWhole) kept.push(part);
    else while (kept.at(-1)?.type.startsWith('reasoning')) kept.pop();
  }
  return kept;
}

function isJson(text: unknown): boolean {
  return text === '' || readJson(String(text)) !== undefined;
}
