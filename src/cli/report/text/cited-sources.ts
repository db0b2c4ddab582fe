import type { PromptResponse } from '../../../core/evaluation/index.ts';
import { counted, present } from '../../../core/internal/index.ts';
import type { Citation } from '../../../core/tool/index.ts';
import { printable } from '../../process/plain-text.ts';
import type { TextStyle } from '../../process/text-style.ts';

/** A web page or a file cited by the model. */
export interface ReportedSource {
  readonly title?: string;
  /** A URL, or the provider's name of the file. */
  readonly place: string;
}

/**
 * The sources that a run cites, without duplicates, in order of the first citation. @param clean removes what must not be
 * shown from a text.
 */
export function citedSources(
  outputs: PromptResponse['hostedOutputs'],
  clean: (text: string) => string,
): readonly ReportedSource[] {
  const sources = new Map<string, ReportedSource>();
  for (const { citations } of Object.values(outputs)) {
    for (const citation of citations) {
      const { title, place } = toSource(citation);
      if (sources.get(place)?.title !== undefined) continue;
      sources.set(place, {
        place: clean(place),
        ...present({ title: title === undefined ? undefined : clean(title) }),
      });
    }
  }
  return [...sources.values()];
}

function toSource(citation: Citation): ReportedSource {
  const [title, place] =
    citation.type === 'url' ? [citation.title, citation.url] : [citation.filename, citation.fileId];
  return title === undefined || title.trim() === '' || title === place ? { place } : { title, place };
}

/** The lines of a numbered list; empty without sources. */
export function formatSources(
  sources: readonly ReportedSource[],
  { maxSources, style }: { readonly maxSources: number; readonly style: TextStyle },
): readonly string[] {
  if (sources.length === 0) return [];
  const rest = sources.length - maxSources;
  return [
    style('heading', 'Sources'),
    ...sources.slice(0, maxSources).map(({ title, place }, index) => {
      const shown = style('place', printable(place));
      return `${String(index + 1).padStart(3)}  ${title === undefined ? shown : `${printable(title)} - ${shown}`}`;
    }),
    ...(rest > 0 ? [`  …  ${counted(rest, 'more source')}; --full shows all`] : []),
  ];
}
