import { quotedList } from '../internal/index.ts';
import type { SectionPort } from '../tool/index.ts';

/** Where a tool is that the model cannot call at present. */
interface Place {
  /** The section that brings it. */
  readonly path: string;
  /** The outermost section around it that is summarized; undefined where it is disabled. */
  readonly closed: string | undefined;
}

/**
 * What a model has to do to call tools, in sentences: it may first have to open their sections, and a tool of a section that is disabled cannot be
 * called in this run.
 *
 * @param names at least one; one that no section brings, such as that of an outer prompt, is taken to be there.
 */
export function howToCall(names: readonly string[], sections: readonly SectionPort[]): string {
  const sentences: string[] = [];
  const callable: string[] = [];
  for (const name of names) {
    const place = findPlace(name, sections);
    if (place === undefined) callable.push(name);
    else if (place.closed === undefined) {
      sentences.push(
        `"${name}" is not available in this run, since the section "${place.path}" is disabled. Go on without.`,
      );
    } else sentences.push(`Open the section "${place.closed}" to get "${name}", and call it.`);
  }
  if (callable.length === names.length) return `Call ${names.length === 1 ? 'it' : 'them'} first.`;
  if (callable.length > 0) sentences.unshift(`Call ${quotedList(callable)} first.`);
  return sentences.join(' ');
}

/** @returns undefined when the tool can be called, and when no section brings it. */
function findPlace(name: string, sections: readonly SectionPort[], closed?: string): Place | undefined {
  for (const { path, isEnabled, visibility, tools, children } of sections) {
    const outer = closed ?? (visibility === 'summary' ? path : undefined);
    if (tools.some((tool) => tool.name === name)) {
      if (!isEnabled) return { path, closed: undefined };
      return visibility === 'full' ? undefined : { path, closed: outer ?? path };
    }
    const below = findPlace(name, children, outer);
    if (below !== undefined) return below;
  }
  return undefined;
}
