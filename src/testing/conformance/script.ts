import type { ConformanceItem, ConformanceRequest } from './request.ts';
import type { ConformanceAnswer, ConformanceCall } from './turn.ts';

/** A turn that says something, or asks for calls, or both. */
export function answer(parts: Omit<ConformanceAnswer, 'type'>): ConformanceAnswer {
  return { type: 'answer', ...parts };
}

/** A call with these arguments. */
export function call(
  callId: string,
  name: string,
  given: object,
): ConformanceCall & { readonly callId: string } {
  return { callId, name, arguments: JSON.stringify(given) };
}

/** The items of one type in a request. */
export function itemsOf<Type extends ConformanceItem['type']>(
  request: ConformanceRequest,
  type: Type,
): readonly Extract<ConformanceItem, { readonly type: Type }>[] {
  return request.conversation.filter(
    (item): item is Extract<ConformanceItem, { readonly type: Type }> => item.type === type,
  );
}
