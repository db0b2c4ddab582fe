import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A prompt of this many sections, each with a param of its own, nested three deep, bound to all of them. */
function sourceOf(count: number, bound: (index: number) => string): string {
  const indexes = Array.from({ length: count }, (_, index) => index);
  const sections = indexes.map(
    (index) => `const section${index} = section({
      title: 'Section ${index}', key: 'section-${index}',
      params: z.object({ param${index}: z.string(), flag${index}: z.boolean().optional() }),
      template: (p) => \`Of \${p.param${index}}.\`,
      summary: 'About $param${index}',
      children: [${index % 3 === 0 ? '' : `section${index - 1}`}],
    });`,
  );
  const top = indexes.filter((index) => index % 3 === 2 || index === count - 1);
  return `
    import { promptTemplate, section } from 'weakincentives';
    import { z } from 'zod';
    ${sections.join('\n')}
    const template = promptTemplate({ ns: 'a', key: 'b', sections: [${top.map((index) => `section${index}`).join(', ')}] });
    export const prompt = template.bind({ ${indexes.map(bound).join(', ')} });
  `;
}

interface Check {
  readonly errors: readonly string[];
  /** How many types the compiler had to make from generic ones: its work, the same on every machine. */
  readonly instantiations: number;
}

const path = join(root, 'test/pack/generated.ts');
const host = ts.createCompilerHost({});
const readSource = host.getSourceFile.bind(host);
const sources = new Map<string, ts.SourceFile | undefined>();

function check(source: string): Check {
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ['node'],
    paths: { weakincentives: [join(root, 'dist/entries/index.d.ts')] },
  };
  const program = ts.createProgram({
    rootNames: [path],
    options,
    host: {
      ...host,
      fileExists: (name) => name === path || host.fileExists(name),
      getSourceFile: (name, ...rest) => {
        if (name === path) return ts.createSourceFile(name, source, ts.ScriptTarget.ES2022, true);
        if (!sources.has(name)) sources.set(name, readSource(name, ...rest));
        return sources.get(name);
      },
    },
  });
  const errors = ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  return { errors, instantiations: program.getInstantiationCount() };
}

const all = (index: number): string => `param${index}: 'x'`;

describe('inferring the params of a prompt', () => {
  it('of 60 sections stays within what the compiler may spend, and grows with their number alone', () => {
    const [none, sixty, twice] = [
      check(sourceOf(1, all)),
      check(sourceOf(60, all)),
      check(sourceOf(120, all)),
    ];
    expect([none.errors, sixty.errors, twice.errors]).toEqual([[], [], []]);
    const first = sixty.instantiations - none.instantiations;
    const second = twice.instantiations - sixty.instantiations;
    expect(first).toBeGreaterThan(0);
    expect(second / first).toBeLessThan(1.5);
    expect(sixty.instantiations).toBeLessThan(100_000);
  });

  it('of 60 sections finds the one param that is missing or of a wrong type', () => {
    expect(check(sourceOf(60, (index) => (index === 41 ? '' : all(index)))).errors.join('\n')).toContain(
      'param41',
    );
    expect(check(sourceOf(60, (index) => (index === 41 ? 'param41: 1' : all(index)))).errors).toEqual([
      "Type 'number' is not assignable to type 'string'.",
    ]);
  });
});
