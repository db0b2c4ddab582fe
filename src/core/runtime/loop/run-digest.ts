import { describeError } from '../../error/index.ts';
import { formatNumber, none, withoutBlockTags } from '../../internal/index.ts';
import type { ToolPolicy } from '../../policy/index.ts';
import { type AnySlice, digestOf, hasDigest, readOnlyView } from '../../session/index.ts';
import type { ShownSection, UserItem } from '../../tool/index.ts';
import type { EvaluationEnvironment } from '../call/environment/environment.ts';
import { sectionsReadIn } from '../context/shown-sections.ts';
import type { LoopState } from '../model/loop-state.ts';

/** So many files that were changed are named, and so many that were read. */
const maxChanged = 100;
const maxRead = 50;
/** So many results that are kept are named. */
const maxKept = 20;
/** Characters of all sections together. */
const maxSectionCharacters = 20_000;

/** A part of a digest: it is in it as a whole, or not at all. */
interface DigestPart {
  /** For the note on what is left out. */
  readonly name: string;
  readonly text: string;
}

/** What a digest is made from. */
export interface DigestSources {
  readonly environment: Pick<
    EvaluationEnvironment,
    'display' | 'logger' | 'origin' | 'results' | 'roots' | 'touchedFiles'
  >;
  readonly state: Pick<LoopState, 'conversation' | 'openings'>;
  /** Slices of the prompt, in the order of its sections. */
  readonly slices: readonly AnySlice[];
}

/** How much a digest may hold. */
export interface DigestBounds {
  readonly maxTokens: number;
  readonly tokensOf: (text: string) => number;
}

/**
 * What a model must still know once earlier turns have left its conversation, from state: slices and policies that say so, the files that were touched, sections that were
 * opened or read, and results that are kept. It is data that tools and pages have written, in a block that only the runtime can write.
 *
 * @see docs/spec/context.md §2
 */
export class RunDigest {
  readonly #sources: DigestSources;
  /** Sections that were read without being opened, by their paths, in the order in which they first were. */
  readonly #read = new Set<string>();

  constructor(sources: DigestSources) {
    this.#sources = sources;
  }

  /** Remembers what turns of the conversation have read. */
  remember(): void {
    const { environment, state } = this.#sources;
    const { indexes } = environment.display.rendered['~sections'].source.plan;
    for (const path of sectionsReadIn(state, environment.display).keys())
      if (indexes.has(path)) this.#read.add(path);
  }

  /** Turns are about to leave the conversation: what they showed is remembered, and can be read again. */
  beforeLeaving(): void {
    this.remember();
    this.#sources.environment.display.rendered['~sections'].allowReadingAgain();
  }

  /** The digest as an item of the conversation. Reads session and files as they are; changes nothing. Does not throw. */
  async render(bounds: DigestBounds): Promise<UserItem> {
    const { environment } = this.#sources;
    const { sessionId } = environment.origin;
    const parts = [...this.#state(), ...this.#files(), ...(await this.#sections()), ...this.#kept()];
    return {
      type: 'user',
      content: [{ type: 'text', text: fit(parts, bounds) }],
      source: 'digest',
      sessionId,
    };
  }

  #state(): readonly DigestPart[] {
    const { environment, slices } = this.#sources;
    const fork = environment.roots.session.fork({ readOnly: true });
    try {
      const session = fork.view;
      return [
        ...slices
          .filter(hasDigest)
          .map((slice) => this.#part(slice.name, () => digestOf(slice, readOnlyView(session)))),
        ...this.#policies().map((policy) =>
          this.#part(policy.name, () => policy.digest?.(readOnlyView(session)) ?? ''),
        ),
      ].filter(({ text }) => text !== '');
    } finally {
      fork.dispose();
    }
  }

  /** Policies of the tools that can be called, each once. */
  #policies(): readonly ToolPolicy[] {
    const bound = [...this.#sources.environment.display.rendered.boundTools.values()];
    return [
      ...new Set(bound.flatMap(({ policies, recordingPolicies }) => [...policies, ...recordingPolicies])),
    ];
  }

  /** What a function of the caller says. */
  #part(name: string, render: () => unknown): DigestPart {
    try {
      const text = render();
      if (typeof text !== 'string') throw new TypeError('It returned no text.');
      return { name, text: text.trim() === '' ? '' : `${name}:\n${text.trim()}` };
    } catch (error) {
      return this.#failed(name, error);
    }
  }

  #failed(name: string, error: unknown): DigestPart {
    this.#sources.environment.logger.error('A digest could not be rendered.', {
      name,
      error: describeError(error),
    });
    return { name, text: `${name}: could not be rendered.` };
  }

  #files(): readonly DigestPart[] {
    const { changed = none, read = none } = this.#sources.environment.touchedFiles ?? {};
    return [
      listPart(
        'Files that this run has changed',
        changed.slice(0, maxChanged).map(([path, kind]) => `${kind} ${path}`),
        changed.length - maxChanged,
      ),
      listPart(
        'Files that this run has read, the last one last',
        read.slice(-maxRead),
        read.length - maxRead,
      ),
    ].filter(({ text }) => text !== '');
  }

  /** Sections that were opened, then those that were read, in full, in the order in which they were. */
  async #sections(): Promise<readonly DigestPart[]> {
    const { environment, state } = this.#sources;
    const opened = state.openings.map(({ shown }) => shown);
    const inFull = new Set(opened.flat().map(({ section }) => section));
    const readOnly = [...this.#read].filter((path) => !inFull.has(path));
    const shown: readonly (readonly ShownSection[])[] = [
      ...opened,
      ...readOnly.map((section): readonly ShownSection[] => [{ section, visibility: 'full' }]),
    ];
    const { container, session } = environment.roots;
    const parts: DigestPart[] = [];
    let characters = 0;
    for (const sections of shown) {
      const [first] = sections;
      if (first === undefined) continue;
      const name = `section "${first.section}"`;
      const fork = session.fork({ readOnly: true });
      try {
        const context = { session: fork.view, resources: container.resolver };
        const text = await environment.display.rendered['~sections'].textOf(sections, context);
        characters += text.length;
        const isTooMuch = characters > maxSectionCharacters;
        parts.push({
          name,
          text: isTooMuch ? '' : `Part of your instructions, which you have opened or read: ${name}\n${text}`,
        });
      } catch (error) {
        parts.push(this.#failed(name, error));
      } finally {
        fork.dispose();
      }
    }
    return parts;
  }

  #kept(): readonly DigestPart[] {
    const kept = this.#sources.environment.results?.list() ?? none;
    return [
      listPart(
        'Results that are kept: read them with read_result',
        kept
          .slice(-maxKept)
          .map(
            ({ id, toolName, characters }) => `${id} (${toolName}, ${formatNumber(characters)} characters)`,
          ),
        0,
      ),
    ].filter(({ text }) => text !== '');
  }
}

function listPart(name: string, lines: readonly string[], more: number): DigestPart {
  if (lines.length === 0) return { name, text: '' };
  const rest = more > 0 ? [`and ${formatNumber(more)} more`] : none;
  return { name, text: [`${name}:`, ...lines, ...rest].join('\n') };
}

const opening =
  '<wink-state>\nState of the run, as data. The turns after this message are included in it; earlier ones were left out of the conversation.';
const closing = '</wink-state>';

/** The parts that fit, in their order, and the names of the others. */
function fit(parts: readonly DigestPart[], { maxTokens, tokensOf }: DigestBounds): string {
  const taken: string[] = [];
  const leftOut: string[] = [];
  let tokens = tokensOf(opening + closing);
  for (const { name, text } of parts) {
    const escaped = withoutBlockTags(text);
    const size = tokensOf(escaped);
    if (text === '' || tokens + size > maxTokens) leftOut.push(name);
    else {
      taken.push(escaped);
      tokens += size;
    }
  }
  if (leftOut.length > 0)
    taken.push(withoutBlockTags(`Not in here, for lack of room: ${leftOut.join(', ')}.`));
  return [opening, ...taken, closing].join('\n\n');
}
