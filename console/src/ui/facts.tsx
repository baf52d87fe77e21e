// Names and values, side by side. What is not there is not shown.
import type { ComponentChildren } from "preact";

export type Fact = [name: string, value: ComponentChildren];

export function Facts({ facts }: { facts: Fact[] }) {
  const there = facts.filter(([, value]) => value !== null && value !== undefined && value !== "" && value !== false);
  return (
    <dl class="facts">
      {there.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
