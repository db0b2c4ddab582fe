import type { Writable } from '../../internal/index.ts';
import type { JsonValue } from '../json/json.ts';
import type { Constraint } from './constraint.ts';
import type { PatternReader } from './pattern.ts';
import type { SchemaNode } from './schema-node.ts';
import { type StepMeter, spendOnAll, stepsOf } from './step-meter.ts';

/** How a schema is compiled that a stranger wrote: nothing in it may cost more than the meter allows. */
export interface StrangerRules {
  readonly meter: StepMeter;
  /** Reads a pattern whose `test` takes a bounded time. What it cannot read is left out of the check. */
  readonly readPattern: PatternReader;
  /** The constraint of a keyword, which spends what it costs. */
  readonly price: (name: string, operand: JsonValue, constraint: Constraint) => Constraint;
  /**
   * Makes all nodes spend steps, and take more than they say where a pattern cannot be read.
   *
   * @param loose the nodes with such a pattern.
   * @param anything a node that everything fits.
   */
  readonly finish: (
    nodes: readonly Writable<SchemaNode>[],
    loose: ReadonlySet<SchemaNode>,
    anything: SchemaNode,
  ) => void;
}

/** The rules for one schema. They are passed to what compiles it, so that programs without schemas of strangers do not contain them. */
export function strangerRules(meter: StepMeter, readPattern: PatternReader): StrangerRules {
  return {
    meter,
    readPattern,
    price: (name, operand, constraint) => pricedConstraint(name, operand, constraint, meter),
    finish: (nodes, loose, anything) => {
      if (loose.size > 0) loosen(nodes, loose, anything);
      meterNodes(nodes, meter);
    },
  };
}

/** Characters of JSON, or of a text in a format, that count as one step. */
const charactersOfStep = 8;

/** A constraint that spends what it costs beyond reading the value itself. */
function pricedConstraint(
  name: string,
  operand: JsonValue,
  constraint: Constraint,
  meter: StepMeter,
): Constraint {
  const { holds } = constraint;
  switch (name) {
    case 'uniqueItems':
      return {
        ...constraint,
        holds: (value) => {
          if (Array.isArray(value)) spendOnAll(meter, value);
          return holds(value);
        },
      };
    case 'enum':
    case 'const': {
      const steps = JSON.stringify(operand).length / charactersOfStep;
      return {
        ...constraint,
        holds: (value) => {
          if (typeof value === 'object' && value !== null) meter.spend(steps);
          return holds(value);
        },
      };
    }
    case 'format':
      return {
        ...constraint,
        holds: (value) => {
          if (typeof value === 'string') meter.spend(value.length / charactersOfStep);
          return holds(value);
        },
      };
    default:
      return constraint;
  }
}

/** Makes each comparison of a node with a value spend steps: for the value itself, and for all that the node asks of it and of its members. */
function meterNodes(nodes: Iterable<Writable<SchemaNode>>, meter: StepMeter): void {
  for (const node of nodes) {
    const { holds } = node;
    const parts =
      node.constraints.length +
      node.parts.length +
      node.conditions.length +
      node.unions.reduce((count, { members }) => count + members.length, 0);
    const keys =
      node.properties.size +
      node.required.size +
      node.dependents.size +
      [...node.dependentKeys.values()].reduce((count, needed) => count + 1 + needed.length, 0);
    const forEach = 1 + node.patterns.length;
    node.meter = meter;
    node.holds = (value) => {
      const isHolder = typeof value === 'object' && value !== null;
      meter.spend(parts + (isHolder ? keys + forEach * stepsOf(value) : stepsOf(value)));
      return holds(value);
    };
  }
}

/**
 * Makes a schema take more than it says where it has a pattern that cannot be read, and never less: whatever asks that such a part does not fit, or that
 * no other does, is left out of the check.
 *
 * @param loose the nodes with such a pattern.
 * @param anything a node that everything fits.
 */
function loosen(
  nodes: Iterable<Writable<SchemaNode>>,
  loose: Iterable<SchemaNode>,
  anything: SchemaNode,
): void {
  const all = [...nodes];
  const reached = reachingNodes(all, loose);
  for (const node of all) {
    if (node.not !== undefined && reached.has(node.not)) node.not = undefined;
    if (node.contains !== undefined && reached.has(node.contains.node)) {
      node.contains = { ...node.contains, most: Number.POSITIVE_INFINITY };
    }
    const unions = node.unions.map((union) =>
      union.members.some((member) => reached.has(member)) ? { ...union, isExclusive: false } : union,
    );
    // Which branch follows is not known, so each may hold, and none has to.
    const unknown = node.conditions.filter(({ test }) => reached.has(test));
    node.unions = [
      ...unions,
      ...unknown.map(({ whenTrue, whenFalse }) => ({
        members: [whenTrue, whenFalse, anything].filter((branch) => branch !== undefined),
        isExclusive: false,
      })),
    ];
    node.conditions = node.conditions.filter((condition) => !unknown.includes(condition));
  }
}

/** The nodes that lead to one of some nodes, and these. */
function reachingNodes(nodes: readonly SchemaNode[], targets: Iterable<SchemaNode>): ReadonlySet<SchemaNode> {
  const parents = new Map<SchemaNode, SchemaNode[]>();
  for (const node of nodes) {
    for (const child of nodesBelow(node)) {
      const known = parents.get(child);
      if (known === undefined) parents.set(child, [node]);
      else known.push(node);
    }
  }
  const reached = new Set(targets);
  for (const node of reached) for (const parent of parents.get(node) ?? []) reached.add(parent);
  return reached;
}

function nodesBelow(node: SchemaNode): readonly SchemaNode[] {
  return [
    ...node.properties.values(),
    ...node.patterns.map((pattern) => pattern.node),
    node.additional,
    node.unevaluatedKeys,
    node.keyNames,
    ...node.prefixItems,
    node.items,
    node.unevaluatedItems,
    node.contains?.node,
    ...node.parts,
    ...node.unions.flatMap(({ members }) => members),
    ...node.conditions.flatMap(({ test, whenTrue, whenFalse }) => [test, whenTrue, whenFalse]),
    ...node.dependents.values(),
    node.not,
  ].filter((child) => child !== undefined);
}
