import { useEffect, useRef, useState } from 'preact/hooks';

const restMs = 250;

/** Searches when the reader has stopped typing for a moment. */
export const Search = ({ value, choose }: { readonly value: string; readonly choose: (value: string) => void }) => {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setText(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <div class="field" data-wide>
      <label for="search">Search</label>
      <input
        id="search"
        type="search"
        value={text}
        placeholder="Name, id or screen"
        autoComplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => choose(currentTarget.value.trim()), restMs);
        }}
      />
    </div>
  );
};
