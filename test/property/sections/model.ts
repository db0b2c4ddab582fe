import type { Visibility } from 'weakincentives';

/** A section of a random tree, at its place. */
export interface Node {
  readonly path: string;
  readonly number: string;
  readonly depth: number;
  readonly isEnabled: boolean;
  /** Undefined: it has no summary and is always shown in full. */
  readonly visibility: Visibility | undefined;
  readonly tool: string | undefined;
  readonly parent: Node | undefined;
  readonly children: readonly Node[];
}

/** One call of the model. */
export type Call =
  | { readonly kind: 'open' | 'expand'; readonly paths: readonly string[] }
  | { readonly kind: 'read'; readonly path: string }
  | { readonly kind: 'set'; readonly path: string; readonly visibility: Visibility; readonly fails: boolean }
  | { readonly kind: 'clear'; readonly path: string; readonly fails: boolean }
  | { readonly kind: 'clear-all' }
  | { readonly kind: 'use'; readonly tool: string };

/** What a call comes to: the text of the sections it shows, or why there is none. */
export type Outcome =
  | { readonly text: string }
  | 'done'
  | 'failed'
  | 'unknown'
  | 'open'
  | 'disabled'
  | 'too often'
  | 'no tool';

interface Override {
  readonly visibility: Visibility;
  readonly shown?: ReadonlySet<string>;
}

/** All below a section and itself, in reading order. */
export function flatten(nodes: readonly Node[]): readonly Node[] {
  return nodes.flatMap((node) => [node, ...flatten(node.children)]);
}

const chainOf = (node: Node): readonly Node[] =>
  node.parent === undefined ? [node] : [...chainOf(node.parent), node];

const bringsTools = (node: Node): boolean => node.tool !== undefined || node.children.some(bringsTools);

/**
 * What sections are to a model, as plainly as it can be written: one call after the other, on mutable state, with every
 * answer worked out from the whole tree.
 */
export class PlainSections {
  readonly #forest: readonly Node[];
  readonly #all: ReadonlyMap<string, Node>;
  readonly #overrides = new Map<string, Override>();
  readonly #maxExpansions: number;
  #inFull: ReadonlySet<string> = new Set();
  #expansions = 0;
  /** Summaries that one call showed: what gets at them stands behind the tools of that call. */
  #summaries: Node[] = [];
  /** Tools that the model has in this turn, and those that come with the next one. */
  tools: string[] = [];
  #next: string[] = [];

  constructor(forest: readonly Node[], maxExpansions: number) {
    this.#forest = forest;
    this.#all = new Map(flatten(forest).map((node) => [node.path, node]));
    this.#maxExpansions = maxExpansions;
  }

  get overrides(): ReadonlyMap<string, Visibility> {
    return new Map([...this.#overrides].map(([path, { visibility }]) => [path, visibility]));
  }

  /** A run begins. @param own tools of a section behind all others. @returns the instructions before that section. */
  begin(own: readonly string[]): string {
    const seen = this.#shown(this.#forest, new Set());
    this.#inFull = new Set(seen.filter(([, isFull]) => isFull).map(([{ path }]) => path));
    this.#expansions = 0;
    for (const [path, { visibility }] of this.#overrides) this.#overrides.set(path, { visibility });
    this.#next = [];
    this.#take(seen);
    this.#next.push(...own);
    this.#takeOpeners();
    return this.#text(seen);
  }

  /** A turn begins. */
  turn(): void {
    this.tools = [...this.#next];
  }

  call(call: Call): Outcome {
    switch (call.kind) {
      case 'open':
        return this.tools.includes('open_sections') ? this.#open(call.paths) : 'no tool';
      case 'expand':
        this.#expansions += 1;
        return this.#expansions > this.#maxExpansions ? 'too often' : this.#open(call.paths);
      case 'read':
        return this.tools.includes('read_section') ? this.#read(call.path) : 'no tool';
      case 'use':
        return this.tools.includes(call.tool) ? 'done' : 'no tool';
      case 'set':
        if (call.fails) return 'failed';
        this.#overrides.set(call.path, { visibility: call.visibility });
        return 'done';
      case 'clear':
        if (call.fails) return 'failed';
        this.#overrides.delete(call.path);
        return 'done';
      case 'clear-all':
        this.#overrides.clear();
        return 'done';
    }
  }

  #open(paths: readonly string[]): Outcome {
    const nodes = [...new Set(paths)].map((path) => this.#all.get(path));
    if (nodes.some((node) => node === undefined)) return 'unknown';
    const closed = nodes.flatMap((node) => (node === undefined || this.#isSeen(node) ? [] : [node]));
    if (closed.length === 0) return 'open';
    const hidden = closed.map((node) => chainOf(node).filter((each) => !this.#isSeen(each)));
    if (hidden.flat().some(({ isEnabled }) => !isEnabled)) return 'disabled';
    const forced = new Set(hidden.flat());
    const roots = flatten(this.#forest).filter((node) => hidden.some(([root]) => root === node));
    const texts = roots.map((root) => {
      const seen = this.#shown([root], forced);
      for (const [node] of seen) {
        if (forced.has(node) && node.visibility !== undefined)
          this.#overrides.set(node.path, { visibility: 'full' });
      }
      const shown = new Set(seen.filter(([, isFull]) => isFull).map(([{ path }]) => path));
      this.#overrides.set(root.path, { visibility: 'full', shown });
      this.#take(seen);
      return this.#text(seen);
    });
    this.#takeOpeners();
    return { text: texts.join('\n\n') };
  }

  #read(path: string): Outcome {
    const node = this.#all.get(path);
    if (node === undefined) return 'unknown';
    if (this.#isSeen(node)) return 'open';
    if (chainOf(node).some((each) => !this.#isSeen(each) && !each.isEnabled)) return 'disabled';
    return { text: this.#text(this.#shown([node], new Set([node]))) };
  }

  /** True when the model has it in full: from the start, or with what was opened and not touched since. */
  #isSeen(node: Node): boolean {
    if (this.#inFull.has(node.path)) return true;
    if (node.parent !== undefined && !this.#isSeen(node.parent)) return false;
    return chainOf(node).some(
      ({ path }) => !this.#inFull.has(path) && this.#overrides.get(path)?.shown?.has(node.path),
    );
  }

  #shown(nodes: readonly Node[], forced: ReadonlySet<Node>): readonly (readonly [Node, boolean])[] {
    return nodes.flatMap((node) => {
      if (!node.isEnabled) return [];
      const own =
        node.visibility === undefined
          ? 'full'
          : (this.#overrides.get(node.path)?.visibility ?? node.visibility);
      const isFull = forced.has(node) || own === 'full';
      return [[node, isFull] as const, ...(isFull ? this.#shown(node.children, forced) : [])];
    });
  }

  #text(seen: readonly (readonly [Node, boolean])[]): string {
    return seen.map(([node, isFull]) => textOf(node, isFull)).join('\n\n');
  }

  #take(seen: readonly (readonly [Node, boolean])[]): void {
    for (const [node, isFull] of seen) {
      if (!isFull) this.#summaries.push(node);
      else if (node.tool !== undefined && !this.#next.includes(node.tool)) this.#next.push(node.tool);
    }
  }

  #takeOpeners(): void {
    const openers = new Set<string>(
      this.#summaries.map((node) => (bringsTools(node) ? 'open_sections' : 'read_section')),
    );
    for (const name of ['open_sections', 'read_section']) {
      if (openers.has(name) && !this.#next.includes(name)) this.#next.push(name);
    }
    this.#summaries = [];
  }
}

function textOf(node: Node, isFull: boolean): string {
  const heading = `${'#'.repeat(node.depth + 2)} ${node.number}. T (${node.path})`;
  if (isFull) return `${heading}\n\nfull ${node.path}`;
  const below = node.children.filter(({ isEnabled }) => isEnabled).map(({ path }) => `"${path}"`);
  const how = bringsTools(node)
    ? `Call open_sections with section_keys ["${node.path}"] to read it in full and to get its tools.`
    : `Call read_section with section_key "${node.path}" to read it in full.`;
  const sections = below.length === 0 ? '' : ` Sections below it: ${below.join(', ')}.`;
  return `${heading}\n\nshort ${node.path}\n\n[This is a summary. ${how}${sections}]`;
}
