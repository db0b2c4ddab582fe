// The references of run events and of options, from the types that the entries export and their comments.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** @typedef {{ name: string, type: string, about: string }} Member */

const maxTypeLength = 120;

/**
 * @param {string} root the project
 * @returns {{ events: string, options: string, problems: readonly string[] }} Markdown; `problems` names options without a comment
 */
export function typeReferences(root) {
  const folder = join(root, 'src/entries');
  const entries = readdirSync(folder)
    .filter((file) => file.endsWith('.ts') && file !== 'wink.ts')
    .sort();
  const program = ts.createProgram(
    entries.map((file) => join(folder, file)),
    {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      allowImportingTsExtensions: true,
      noEmit: true,
      strict: true,
      exactOptionalPropertyTypes: true,
      types: ['node'],
    },
  );
  const checker = program.getTypeChecker();
  /** @type {string[]} */
  const problems = [];
  const optionParts = entries.flatMap((file) => {
    const source = program.getSourceFile(join(folder, file));
    const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
    const exported = module === undefined ? [] : checker.getExportsOfModule(module);
    const tables = exported
      .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
      .filter(({ name, flags }) => /(?:Options|Limits|Settings)$/.test(name) && flags & ts.SymbolFlags.Type)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((symbol) => optionTable(symbol));
    const entry = file === 'index.ts' ? 'weakincentives' : `weakincentives/${file.slice(0, -'.ts'.length)}`;
    return tables.length === 0 ? [] : [`## \`${entry}\``, ...tables];
  });
  return { events: eventReference(), options: optionReference(), problems };

  /** @returns {string} */
  function optionReference() {
    return document('Options', [
      'Every options object that an entry exports. A name that is not in its table is refused by name. An optional member has a question mark.',
      ...optionParts,
    ]);
  }

  /** @returns {string} */
  function eventReference() {
    const file = join(root, 'src/core/runtime/events/run-event.ts');
    const source = program.getSourceFile(file);
    const declared = source?.statements.find(
      (statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === 'RunEvents',
    );
    if (declared === undefined) throw new Error('run-event.ts declares no RunEvents.');
    const type = checker.getTypeAtLocation(declared);
    const parts = checker.getPropertiesOfType(type).map((property) => {
      const of = checker.getTypeOfSymbol(property);
      const rows = members(of);
      return [
        `## ${property.name}`,
        aboutOf(property),
        rows.length === 0 ? '' : tableOf(['field', 'type', 'meaning'], rows),
      ]
        .filter((part) => part !== '')
        .join('\n\n');
    });
    return document('Run events', [
      'What observers, `stream` and `wink run --json` get. Every event also has `type`, `evaluationId` (the same in everything that one evaluation reports) and `path` (the calls around the evaluation, outermost first).',
      ...parts,
    ]);
  }

  /** @param {ts.Symbol} symbol @returns {string} */
  function optionTable(symbol) {
    const type = checker.getDeclaredTypeOfSymbol(symbol);
    const rows = members(type);
    for (const { name, about } of rows)
      if (about === '') problems.push(`${symbol.name}.${name}: a comment is missing.`);
    return [`### ${symbol.name}`, aboutOf(symbol), tableOf(['option', 'type', 'meaning'], rows)]
      .filter((part) => part !== '')
      .join('\n\n');
  }

  /** Of a union those of its parts: a member that a part lacks is optional. @param {ts.Type} type @returns {Member[]} */
  function members(type) {
    const parts = type.isUnion()
      ? type.types.map((part) => part.getProperties())
      : [checker.getPropertiesOfType(type)];
    const names = new Set(parts.flat().map(({ name }) => name));
    // The name of a symbol is not written in options.
    return [...names]
      .filter((name) => !name.startsWith('__@'))
      .map((name) => {
        const found = parts.flatMap((part) => part.filter((property) => property.name === name));
        const isOptional =
          found.length < parts.length || found.some(({ flags }) => (flags & ts.SymbolFlags.Optional) !== 0);
        const types = [...new Set(found.map((property) => typeText(property)))];
        const present = types.filter((text) => text !== 'never' && text !== 'undefined');
        return {
          name: isOptional ? `${name}?` : name,
          type: (present.length > 0 ? present : types).join(' | '),
          about: [...new Set(found.map((property) => aboutOf(property)))].join(' ').trim(),
        };
      });
  }

  /** As it is declared, where it is short. @param {ts.Symbol} property @returns {string} */
  function typeText(property) {
    const declaration = property.declarations?.[0];
    const written =
      declaration !== undefined && ts.isPropertySignature(declaration) && declaration.type !== undefined
        ? declaration.type.getText()
        : declaration !== undefined && ts.isMethodSignature(declaration)
          ? 'function'
          : checker.typeToString(checker.getTypeOfSymbol(property));
    const text = written
      .replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
      .replaceAll(/\s+/g, ' ')
      .trim();
    if (text.length <= maxTypeLength) return text;
    return /^\(.*=>/.test(text)
      ? 'function'
      : text.startsWith('{')
        ? 'object'
        : `${text.slice(0, text.lastIndexOf(' ', maxTypeLength))} …`;
  }

  /** @param {ts.Symbol} symbol @returns {string} */
  function aboutOf(symbol) {
    return ts
      .displayPartsToString(symbol.getDocumentationComment(checker))
      .replaceAll(/\{@link (\w+) ?\}/g, '`$1`');
  }
}

/** @param {string} title @param {readonly string[]} parts @returns {string} */
function document(title, parts) {
  return `${[
    `# ${title}`,
    '<!-- Written by npm run reference -- --write, from the types in src/ -->',
    ...parts,
  ].join('\n\n')}\n`;
}

/** @param {readonly string[]} head @param {readonly Member[]} rows @returns {string} */
function tableOf(head, rows) {
  const cell = (/** @type {string} */ text) => text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').trim();
  return [
    `| ${head.join(' | ')} |`,
    `| ${head.map(() => '---').join(' | ')} |`,
    ...rows.map(({ name, type, about }) => `| \`${name}\` | \`${cell(type)}\` | ${cell(about)} |`),
  ].join('\n');
}
