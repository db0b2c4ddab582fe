import type { Schema } from '../../schema/index.ts';
import type { AnySection, Section } from './section.ts';

/** Params of sections that the compiler knows nothing about. */
export type DynamicParams = Readonly<Record<string, unknown>>;

/** No params: the compiler refuses any. */
export type NoParams = Readonly<Record<string, never>>;

/** No requirement: the neutral element of an intersection. */
type NoInput = Record<never, never>;

/** What an optional params schema accepts; nothing in particular without one. */
export type ParamsInput<S> = S extends Schema<infer Input, infer _Output> ? Input : NoInput;

/** What an optional params schema yields; nothing in particular without one. */
export type ParamsOutput<S> = S extends Schema<infer _Input, infer Output> ? Output : NoInput;

/** The schema of a section's own params; any names where the compiler does not know it. */
export type OwnParams<S> =
  S extends Section<infer Input, infer Own>
    ? Own extends { readonly params: infer Params extends Schema | undefined }
      ? Params
      : [Input] extends [never]
        ? Schema<DynamicParams>
        : unknown extends Input
          ? WrittenOutParams<S>
          : Schema<Input, DynamicParams>
    : never;

/** The params that the children of a section need, as far as the compiler can separate them from the section's own. */
export type ChildrenInput<S> =
  S extends Section<never, infer Own>
    ? Own extends { readonly params: Schema | undefined; readonly children: infer Input }
      ? Input
      : S extends { readonly children: infer C extends readonly AnySection[] }
        ? SectionsInput<C>
        : NoInput
    : never;

/** The params that one section and its descendants need. */
export type SectionInput<S> =
  S extends Section<infer Input>
    ? [Input] extends [never]
      ? DynamicParams
      : unknown extends Input
        ? WrittenOutInput<S>
        : Input
    : never;

/** The same for a section that is a plain object, which carries no type of its own. */
type WrittenOutInput<S> = ParamsInput<WrittenOutParams<S>> &
  (S extends { readonly children: infer C extends readonly AnySection[] } ? SectionsInput<C> : unknown);

type WrittenOutParams<S> = S extends { readonly params: infer P extends Schema } ? P : undefined;

/** The params that a list of sections needs: the intersection, as one flat object. */
export type SectionsInput<C extends readonly AnySection[]> = [C[number]] extends [never]
  ? NoInput
  : Consumer<C[number]> extends (input: infer Input) => void
    ? Input
    : never;

/** A function per section, so that inferring the parameter of all of them intersects them and leaves unions whole. */
type Consumer<S> = S extends unknown ? (input: SectionInput<S>) => void : never;

/** `Params` written out as one object type, per member of a union. */
type Flat<Params> = Params extends unknown ? { [Key in keyof Params]: Params[Key] } : never;

/** The keys of every member of a union. */
type EveryKey<Params> = Params extends unknown ? keyof Params : never;

/** What `bind()` takes for the params of a prompt. */
export type BindParams<Params> = [EveryKey<Params>] extends [never] ? NoParams : Flat<Params>;
