// Labelled inputs, so that none is ever without its label.
import type { JSX } from "preact";
import { useId } from "preact/hooks";

interface Common {
  label: string;
  hint?: string;
}

type InputProps = Common & Omit<JSX.IntrinsicElements["input"], "label">;

export function Field({ label, hint, ...input }: InputProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input {...input} id={id} aria-describedby={hint ? `${id}-hint` : undefined} />
      {hint && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
}

type SelectProps = Common & { value: string; options: [value: string, label: string][]; onChoose(value: string): void; name?: string };

export function Select({ label, hint, value, options, onChoose, name }: SelectProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name} value={value} aria-describedby={hint ? `${id}-hint` : undefined} onChange={(event) => onChoose(event.currentTarget.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
      {hint && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
}
