import { SchemaProjections } from '../../provider/index.ts';
import { openaiDialect } from '../wire/openai-dialect.ts';

/** Each runtime's tools are projected once, and what gets lost is logged once. */
const projectionsByRuntime = new WeakMap<object, SchemaProjections>();

/** The schemas of a runtime's tools as OpenAI takes them. */
export function projectionsOf(runtime: object): SchemaProjections {
  const projections = projectionsByRuntime.get(runtime) ?? new SchemaProjections(openaiDialect);
  projectionsByRuntime.set(runtime, projections);
  return projections;
}
