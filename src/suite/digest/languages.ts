import type { DigestLanguage } from './workspace-digest.ts';

/** Extensions by language. */
const extensionsOfLanguages: Readonly<Record<string, string>> = {
  Astro: 'astro',
  C: 'c h',
  'C#': 'cs',
  'C++': 'cc cpp cxx hh hpp hxx',
  Clojure: 'clj cljc cljs',
  CSS: 'css less sass scss',
  Dart: 'dart',
  Elixir: 'ex exs',
  Erlang: 'erl hrl',
  'F#': 'fs fsx',
  Go: 'go',
  Haskell: 'hs',
  HTML: 'htm html',
  Java: 'java',
  JavaScript: 'cjs js jsx mjs',
  JSON: 'json json5 jsonc',
  Julia: 'jl',
  Kotlin: 'kt kts',
  Lua: 'lua',
  Markdown: 'markdown md mdx',
  'Objective-C': 'm mm',
  OCaml: 'ml mli',
  Perl: 'pl pm',
  PHP: 'php',
  PowerShell: 'ps1',
  'Protocol Buffers': 'proto',
  Python: 'py pyi',
  R: 'r',
  Ruby: 'rb',
  Rust: 'rs',
  Scala: 'scala',
  Shell: 'bash sh zsh',
  SQL: 'sql',
  Svelte: 'svelte',
  Swift: 'swift',
  Terraform: 'tf',
  TOML: 'toml',
  TypeScript: 'cts mts ts tsx',
  Vue: 'vue',
  XML: 'xml',
  YAML: 'yaml yml',
  Zig: 'zig',
};

const languageOf: ReadonlyMap<string, string> = /* @__PURE__ */ new Map(
  Object.entries(extensionsOfLanguages).flatMap(([language, extensions]) =>
    extensions.split(' ').map((extension): [string, string] => [extension, language]),
  ),
);

/** Languages that a digest names. */
const maxLanguages = 8;

/** Counts files by language. */
export class LanguageCount {
  readonly #files = new Map<string, number>();

  add(fileName: string): void {
    const dot = fileName.lastIndexOf('.');
    const language = dot < 1 ? undefined : languageOf.get(fileName.slice(dot + 1).toLowerCase());
    if (language !== undefined) this.#files.set(language, (this.#files.get(language) ?? 0) + 1);
  }

  /** The most frequent ones, most files first, then by name. */
  mostFrequent(): readonly DigestLanguage[] {
    return [...this.#files]
      .map(([name, files]) => ({ name, files }))
      .sort((left, right) => right.files - left.files || (left.name < right.name ? -1 : 1))
      .slice(0, maxLanguages);
  }
}
