import { z } from 'zod';
import { type TraceCall, toolNames } from './script.ts';

/** A tool of the trace, with its schema for Zod. */
interface TraceTool<Shape extends z.core.$ZodShape> {
  readonly name: TraceCall['name'];
  readonly description: string;
  readonly schema: z.ZodObject<Shape, z.core.$strict>;
}

/** The tools of the trace, for every system that takes schemas of Zod. */
export const tools: {
  readonly read: TraceTool<{ path: z.ZodString }>;
  readonly write: TraceTool<{ path: z.ZodString; text: z.ZodString }>;
  readonly search: TraceTool<{ folder: z.ZodString; text: z.ZodString }>;
} = {
  read: {
    name: toolNames.read,
    description: 'Reads a file of the project.',
    schema: z.strictObject({ path: z.string() }),
  },
  write: {
    name: toolNames.write,
    description: 'Writes a whole file of the project.',
    schema: z.strictObject({ path: z.string(), text: z.string() }),
  },
  search: {
    name: toolNames.search,
    description: 'Finds the lines of the files of a folder that have a text.',
    schema: z.strictObject({ folder: z.string(), text: z.string() }),
  },
};

/** What the last message of the model is to be. */
export const answerSchema: z.ZodObject<{ state: z.ZodLiteral<'done'> }, z.core.$strict> = z.strictObject({
  state: z.literal('done'),
});

/** The files of the project for systems that have none of their own, and what their tools do with them. */
export class Project {
  readonly #files: Map<string, string>;
  #calls = 0;

  constructor(files: Readonly<Record<string, string>>) {
    this.#files = new Map(Object.entries(files));
  }

  /** How often a tool was called. */
  get calls(): number {
    return this.#calls;
  }

  /** @throws {Error} for a file that is not there */
  contentOf(path: string): string {
    const content = this.#files.get(path);
    if (content === undefined) throw new Error(`There is no file ${path}.`);
    return content;
  }

  async read({ path }: { readonly path: string }): Promise<string> {
    this.#calls += 1;
    return this.contentOf(path);
  }

  async write({ path, text }: { readonly path: string; readonly text: string }): Promise<string> {
    this.#calls += 1;
    this.contentOf(path);
    this.#files.set(path, text);
    return wrote(path, text);
  }

  async search({ folder, text }: { readonly folder: string; readonly text: string }): Promise<string> {
    this.#calls += 1;
    const found = [...this.#files]
      .filter(([path, content]) => path.startsWith(`${folder}/`) && content.includes(text))
      .flatMap(([path, content]) =>
        content
          .split('\n')
          .flatMap((line, index) => (line.includes(text) ? [match(path, index + 1, line)] : [])),
      );
    return found.join('\n');
  }
}

/** The result of a write. */
export function wrote(path: string, text: string): string {
  return `Wrote ${text.length} characters to ${path}.`;
}

/** A line of the result of a search. */
export function match(path: string, line: number, text: string): string {
  return `${path}:${line}: ${text}`;
}
