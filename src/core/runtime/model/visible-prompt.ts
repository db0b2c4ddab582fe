import { none } from '../../internal/index.ts';
import { type BoundTool, openSections, type RenderedPrompt, readSection } from '../../prompt/index.ts';
import type { ReadonlySessionView } from '../../session/index.ts';
import type { ModelTool, PromptPort, RenderedPromptPort, ShownSection } from '../../tool/index.ts';
import type { LoopState } from './loop-state.ts';
import type { DeferredSection } from './model.ts';

/** What a display is made of beside the prompt. */
interface DisplayOptions {
  readonly state: Pick<LoopState, 'openings' | 'expansions'>;
  /** How often handlers may have sections opened. */
  readonly maxSectionOpenings: number;
  /** Tools of the runtime itself, which the model gets before those of the prompt. Default: none. */
  readonly own?: readonly BoundTool[];
  /** Whether the model gets the tools of opened sections with the result that opens them. Default: false. */
  readonly opensInPlace?: boolean;
}

/**
 * The prompt of a run as its model sees it: as it was rendered, followed by the tools of sections that were opened
 * since. It changes between turns only, so that the calls of one turn all see the same.
 */
export class VisiblePrompt {
  readonly maxSectionOpenings: number;
  /** Set between turns only. */
  rendered: RenderedPrompt;
  /** The tools as the model gets them. Grows at its end only. */
  tools: readonly ModelTool[];
  /** The tools of all sections that can be opened, for a model that gets them with the result that opens them; undefined for others. */
  readonly deferredTools: readonly ModelTool[] | undefined;
  /** The sections that have them. */
  readonly deferredSections: readonly DeferredSection[] | undefined;
  /** Tools of the runtime itself that the model gets, by name. */
  readonly #own: ReadonlyMap<string, BoundTool>;
  /** Tools of the runtime itself, which are not offered to the model. */
  readonly #unlisted = new Map<string, BoundTool>();
  readonly #state: DisplayOptions['state'];
  /** How many of the openings are in. */
  #taken = 0;
  #port: RenderedPromptPort | undefined;

  constructor(
    rendered: RenderedPrompt,
    { state, maxSectionOpenings, own = none, opensInPlace = false }: DisplayOptions,
  ) {
    this.maxSectionOpenings = maxSectionOpenings;
    this.#state = state;
    this.rendered = rendered;
    this.#own = new Map(own.map((bound) => [bound.tool.name, bound]));
    this.tools = this.#modelTools();
    const openable = opensInPlace ? this.#listed(rendered['~sections'].openable()) : undefined;
    this.deferredTools = openable?.map((bound) => bound['~planned'].modelTool);
    this.deferredSections = openable && sectionsOf(openable, rendered);
  }

  /** Names of the tools that the model gets with the result of a call that has shown these sections; undefined where it gets them otherwise. */
  loadedBy(shown: readonly ShownSection[]): readonly string[] | undefined {
    if (this.deferredTools === undefined) return undefined;
    const names = this.rendered['~sections']
      .toolNamesOf(shown)
      .filter((name) => this.offered(name) === undefined);
    return names.length === 0 ? undefined : names;
  }

  /** Whether a handler may still have sections opened. */
  get canOpenSections(): boolean {
    return this.#state.expansions < this.maxSectionOpenings;
  }

  /** What policies, feedback providers and completion checkers get of it: they can change nothing in it, such as the map of the tools that run. */
  get port(): RenderedPromptPort {
    const { text, tools } = this.rendered;
    this.#port ??= Object.freeze({ text, tools });
    return this.#port;
  }

  /** A tool that can be called; undefined when there is none. */
  toolNamed(name: string): BoundTool | undefined {
    return this.offered(name) ?? this.#unlisted.get(name);
  }

  /** A tool that the model gets; undefined when there is none. */
  offered(name: string): BoundTool | undefined {
    return this.rendered.boundTools.get(name) ?? this.#own.get(name);
  }

  /** Whether a tool that the model gets is of the runtime itself: it shows what belongs to the prompt or to the conversation. */
  isOwn(name: string): boolean {
    const tool = this.offered(name)?.tool;
    return tool !== undefined && (this.#own.has(name) || tool === openSections() || tool === readSection());
  }

  /** Adds a tool that the runtime calls itself; the model does not get it. */
  addUnlisted(bound: BoundTool): void {
    this.#unlisted.set(bound.tool.name, bound);
  }

  /** Takes in what calls have opened: a turn begins. */
  update(): void {
    const { openings } = this.#state;
    if (this.#taken === openings.length) return;
    for (const { shown } of openings.slice(this.#taken)) {
      this.rendered = this.rendered['~sections'].withShown(shown);
    }
    this.#taken = openings.length;
    this.#port = undefined;
    this.tools = this.#modelTools();
  }

  #modelTools(): readonly ModelTool[] {
    const bound = [...this.#own.values(), ...this.rendered.boundTools.values()];
    return this.#listed(bound).map((each) => each['~planned'].modelTool);
  }

  /** Without the tools that a model gets only in the shape of its vendor. */
  #listed(bound: readonly BoundTool[]): readonly BoundTool[] {
    const typedOnly = this.rendered['~sections'].typedOnly;
    return typedOnly.size === 0 ? bound : bound.filter(({ tool }) => !typedOnly.has(tool.name));
  }
}

/** The sections of tools, in their order. */
function sectionsOf(
  tools: readonly BoundTool[],
  { '~sections': { source } }: RenderedPrompt,
): readonly DeferredSection[] {
  const paths = new Set(tools.map(({ sectionPath }) => sectionPath));
  return source.plan.nodes.flatMap(({ path, section: { title } }): readonly DeferredSection[] => {
    if (!paths.has(path)) return none;
    const own = tools.filter(({ sectionPath }) => sectionPath === path);
    return [{ path, title, tools: own.map(({ tool }) => tool.name) }];
  });
}

/** A prompt and how its model sees it. */
export interface PromptWithDisplay {
  readonly prompt: PromptPort;
  readonly display: VisiblePrompt;
}

/**
 * The prompt of an evaluation as it is seen from inside of it: its `sections()` are what the model has at present.
 *
 * @param session what is asked which sections were opened.
 */
export function seenPrompt(
  { prompt, display }: PromptWithDisplay,
  session: () => ReadonlySessionView,
): PromptPort {
  const { rendered } = display;
  const seen = Object.create(Object.prototype, {
    ...Object.getOwnPropertyDescriptors(prompt),
    sections: { enumerable: true, value: () => rendered['~sections'].list(session()) },
  }) as PromptPort; // It has every member of the prompt.
  return Object.freeze(seen);
}
