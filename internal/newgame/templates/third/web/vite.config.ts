import backstep from "@backstep/vite";
import { defineConfig } from "vite";

export default defineConfig({ plugins: [backstep()] });
