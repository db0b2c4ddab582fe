import { PromptValidationError } from '../../error/index.ts';
import { quotedList } from '../../internal/index.ts';
import type { DynamicParams } from '../section/section-input.ts';
import type { SectionNode } from './section-tree.ts';

/** The params of a whole prompt. */
export interface PromptParams {
  /** Every name that a section declares → path of the first that does. */
  readonly names: ReadonlyMap<string, string>;
  /** True when some section takes names that it does not declare. */
  readonly open: boolean;
}

/**
 * Collects the params of all sections.
 *
 * @throws {PromptValidationError} when two sections use one name with different schemas.
 */
export function collectParams(nodes: readonly SectionNode[]): PromptParams {
  const owners = new Map<string, { readonly path: string; readonly signature: string }>();
  let open = false;
  for (const { path, params } of nodes) {
    if (params === undefined) continue;
    open ||= params.accepted.open;
    for (const [name, signature] of params.signatures) {
      const owner = owners.get(name);
      if (owner === undefined) owners.set(name, { path, signature });
      else if (owner.signature !== signature) {
        throw new PromptValidationError(
          `Sections "${owner.path}" and "${path}" declare the param "${name}" with different schemas; ` +
            'let both use one schema, or rename one of the params.',
          { details: { section: path, otherSection: owner.path, placeholder: name } },
        );
      }
    }
  }
  return { names: new Map([...owners].map(([name, { path }]) => [name, path])), open };
}

/**
 * Checks raw params and returns a frozen copy.
 *
 * @param prompt names the prompt in errors.
 * @throws {PromptValidationError} when they are not an object, or have a name that no section declares.
 */
export function checkRawParams(raw: unknown, params: PromptParams, prompt: string): DynamicParams {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    const received = Array.isArray(raw) ? 'a list' : raw === null ? 'null' : `a ${typeof raw}`;
    throw new PromptValidationError(`The params of prompt "${prompt}" must be an object, not ${received}.`, {
      details: { prompt },
    });
  }
  const unknown = params.open ? [] : Object.keys(raw).filter((name) => !params.names.has(name));
  if (unknown.length > 0) {
    const known = [...params.names].map(([name, path]) => `"${name}" (section "${path}")`).join(', ');
    throw new PromptValidationError(
      `No section of prompt "${prompt}" declares ${quotedList(unknown)}; ` +
        (known === '' ? 'it has no params.' : `its params are ${known}.`),
      { details: { prompt, placeholder: unknown[0], unknown } },
    );
  }
  return Object.freeze({ ...raw });
}

/** The part of the raw params that belongs to one section: what it declares, and if it is open what no section declares. */
export function ownParams(node: SectionNode, raw: DynamicParams, params: PromptParams): DynamicParams {
  const accepted = node.params?.accepted;
  if (accepted === undefined) return {};
  const names = accepted.open
    ? Object.keys(raw).filter((name) => accepted.all.has(name) || !params.names.has(name))
    : [...accepted.all.keys()].filter((name) => Object.hasOwn(raw, name));
  return Object.fromEntries(names.map((name) => [name, raw[name]]));
}
