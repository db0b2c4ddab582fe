import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../', import.meta.url));
const sources = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path: `src/${path}`, text: readFileSync(`${root}src/${path}`, 'utf8') }));

const units: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

/** The figures of a text, `8`, `33,554,432` or `1 GiB`; without those in parentheses, which say the same again. */
function figuresOf(text: string): readonly number[] {
  return [...text.replaceAll(/\([^)]*\)/g, '').matchAll(/(\d[\d,]*)(?: ([KMG]iB))?/g)].map(
    ([, digits = '', unit = '']) => Number(digits.replaceAll(',', '')) * (units[unit] ?? 1),
  );
}

/** The figures that comments of options give as their defaults, by `Type.member`: one, or all that the sentence has. */
export function documentedDefaults(): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, readonly number[]>();
  for (const { path, text } of sources) {
    if (!text.includes('Default')) continue;
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node, owner: string): void => {
      const inside = ts.isInterfaceDeclaration(node) ? node.name.text : owner;
      if (ts.isPropertySignature(node)) {
        const comment = ts
          .getJSDocCommentsAndTags(node)
          .map((each) => each.getText())
          .join(' ');
        const sentence = /Default:? (\d.*?)(?:\. |\.?\s*\*\/|, about )/s.exec(
          comment.replaceAll(/\s*\n\s*\* ?/g, ' '),
        )?.[1];
        // A member of a type that is not an interface has no default of its own.
        if (sentence !== undefined && inside !== '')
          found.set(`${inside}.${node.name.getText()}`, figuresOf(sentence));
      }
      ts.forEachChild(node, (child) => visit(child, inside));
    };
    visit(file, '');
  }
  return found;
}

/** What guides, specification and the help of the command say of defaults: the option, by its name, and the figure. */
export function defaultsInTexts(): readonly (readonly [place: string, option: string, figure: number])[] {
  const texts = ['guides', 'docs/spec'].flatMap((folder) =>
    readdirSync(`${root}${folder}`, { encoding: 'utf8' })
      .filter((path) => path.endsWith('.md'))
      .map((path) => ({ path: `${folder}/${path}`, text: readFileSync(`${root}${folder}/${path}`, 'utf8') })),
  );
  const options = texts.flatMap(({ path, text }) =>
    [...text.matchAll(/`(?:\w+\.)*(\w+)`[^`\n]*?\b[Dd]efault:? (\d[\d,]*(?: [KMG]iB)?)/g)].map(
      ([, option = '', figure = '']) => [path, option, figuresOf(figure)[0] ?? Number.NaN] as const,
    ),
  );
  const flags = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/--([a-z-]+) [^\n]*\(default (\d+)\)/g)].map(
      ([, flag = '', figure = '']) => [path, flag, Number(figure)] as const,
    ),
  );
  return [...options, ...flags];
}

/**
 * The figure that the sources give an option where it is left out: `option = 8`, `options.option ?? 8`, or a constant in that place.
 * For options whose default shows only after a wait.
 *
 * @param beside what stands in the same file, for an option that has its name in common with others.
 */
export function writtenDefault(option: string, beside: string = option): number {
  const place = new RegExp(String.raw`\b${option}(?:: \w+)?(?: =| \?\?) (\w+)\b`, 'g');
  const values = new Set<number>();
  for (const { text } of sources.filter((source) => source.text.includes(beside))) {
    for (const [, value = ''] of text.matchAll(place)) {
      const [, constant = value] = new RegExp(String.raw`\bconst ${value} = (\d[\d_]*);`).exec(text) ?? [];
      if (/^\d/.test(constant)) values.add(Number(constant.replaceAll('_', '')));
    }
  }
  const [only, ...others] = values;
  if (only === undefined || others.length > 0)
    throw new Error(
      `The option ${option} has not one default but ${values.size}: ${[...values].join(', ')}.`,
    );
  return only;
}
