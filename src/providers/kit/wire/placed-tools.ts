import { none } from '../../../core/internal/index.ts';
import type { ModelRequest, ModelTool } from '../../../core/runtime/index.ts';

/** Where a request declares the tools of a model that gets those of opened sections in place. */
export interface PlacedTools {
  /** All tools: first those that are there from the start, then those of sections that can be opened. The same in every request of an evaluation. */
  readonly declared: readonly ModelTool[];
  /** Names of those that a result of the conversation has brought. */
  readonly inPlace: ReadonlySet<string>;
  /** Names of those whose sections are not open. */
  readonly hidden: ReadonlySet<string>;
}

const noNames: ReadonlySet<string> = new Set();

/**
 * The tools of a request by their places. Those of a section whose result has left the conversation, by a compaction, are in front from then on: the prefix is another one
 * anyway.
 */
export function placeTools({
  conversation,
  deferredTools = none,
  tools,
}: Pick<ModelRequest, 'conversation' | 'deferredTools' | 'tools'>): PlacedTools {
  if (deferredTools.length === 0) return { declared: tools, inPlace: noNames, hidden: noNames };
  const deferred = new Set(deferredTools.map(({ name }) => name));
  const open = new Set(tools.flatMap(({ name }) => (deferred.has(name) ? [name] : [])));
  const brought = conversation.flatMap((item) =>
    item.type === 'tool-result' ? (item.loadedTools ?? none) : none,
  );
  return {
    declared: [...tools.filter(({ name }) => !deferred.has(name)), ...deferredTools],
    inPlace: new Set(brought.filter((name) => open.has(name))),
    hidden: new Set([...deferred].filter((name) => !open.has(name))),
  };
}
