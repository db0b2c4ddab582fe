import { present } from '../../../core/internal/index.ts';
import type { Citation } from '../../../core/tool/index.ts';
import { type HostedTurn, objectsIn, type WireFields } from '../../kit/index.ts';

/** What a citation refers to; undefined for a citation unrelated to the tool. */
export type SourceReader = (citation: WireFields) => CitedSource | undefined;

/** The source of a citation, without the passages. */
export type CitedSource =
  | { readonly type: 'url'; readonly url: string; readonly title?: string }
  | { readonly type: 'file'; readonly fileId: string; readonly filename?: string };

/** The citations of one turn. A citation belongs to the text block that contains it. */
export function citationsOf(turn: HostedTurn, readSource: SourceReader): readonly Citation[] {
  return objectsIn(turn.items).flatMap((block) => {
    const { type, text, citations } = block;
    if (type !== 'text' || typeof text !== 'string') return [];
    const start = turn.startOf(block);
    const span = start === undefined ? {} : { span: [start, start + text.length] as const };
    return objectsIn(citations).flatMap((citation): readonly Citation[] => {
      const source = readSource(citation);
      const { cited_text: cited } = citation;
      if (source === undefined) return [];
      return [
        {
          ...source,
          ...span,
          ...present({ citedText: typeof cited === 'string' && cited !== '' ? cited : undefined }),
        },
      ];
    });
  });
}
