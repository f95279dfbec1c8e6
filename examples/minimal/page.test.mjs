// Played by the browser test: Ann walks, and her dot moves up.
export async function play({ read, until, hold }) {
  const top = () => parseFloat(document.querySelector("b")?.style.top ?? "NaN");
  await until("Ann is drawn", 30, () => document.querySelector("b") !== null);
  const from = await read(top);
  await hold(["KeyW"], () => until("and walks ahead", 10, (from) => parseFloat(document.querySelector("b").style.top) < from - 6, from));
}
